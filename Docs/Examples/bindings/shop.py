import logging

import clickstream

with clickstream.Client(app_id="shopping", endpoint="http://127.0.0.1:9090/collect") as client:
    logging.getLogger().addHandler(clickstream.ClickstreamHandler(client))
    client.set_user_id("carl")
    client.record("add_to_cart", {"category": "shoes", "value": 279.9})
    client.record("view_item", items=[{"id": "123", "name": "Nature", "price": 99.9}])
    logging.warning("card refused")

    report = client.flush(timeout=5)
    print(f"sent {report.sent}, retained {report.retained} {report.message}")
