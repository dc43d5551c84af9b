import asyncio

import clickstream


async def buy(client: clickstream.Client, book: str) -> None:
    await asyncio.sleep(0)  # the shop's own work
    client.record("purchase", {"book": book})


async def main() -> None:
    with clickstream.Client(app_id="shopping", endpoint="http://127.0.0.1:9090/collect") as client:
        await asyncio.gather(*(buy(client, book) for book in ("Nature", "Rivers", "Stars")))
        report = await asyncio.to_thread(client.flush, 5)
        print(f"sent {report.sent}, retained {report.retained} {report.message}")


asyncio.run(main())
