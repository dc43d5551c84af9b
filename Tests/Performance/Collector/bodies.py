"""Writes request bodies for the load: each line is the hash of the body and the body: base64 of the gzip of 100 events like the manual's, with ids of their own.

Usage: bodies.py FILE COUNT [SEED]. Costs about a millisecond a body.
"""
import base64
import hashlib
import os
import random
import sys
import time
import zlib

HEAD = (
    '{"unique_id":"%s","event_type":"%s","event_id":"%s","app_id":"shop","timestamp":%d,'
    '"device_id":"f24bec657ea8eff7","device_unique_id":"","platform":"Linux","os_version":"6.1.0","make":"apple",'
    '"brand":"apple","model":"iPhone 14 Pro","locale":"en_US","carrier":"CDMA","network_type":"WIFI",'
    '"screen_height":2400,"screen_width":1080,"zone_offset":28800000,"system_language":"en","country_code":"US",'
    '"sdk_version":"0.2.0","sdk_name":"aws-solution-clickstream-sdk","app_version":"1.0",'
    '"app_package_name":"com.example.shop","app_title":"Shop",'
)
TAIL = (
    '"user":{"_user_id":{"value":"%d","set_timestamp":%d},"_user_name":{"value":"carl","set_timestamp":%d},'
    '"_user_first_touch_timestamp":{"value":%d,"set_timestamp":%d}},'
    '"attributes":{"_session_id":"%s","_session_start_timestamp":%d,"_session_duration":%d,"_session_number":%d,'
    '"_screen_name":"%s","_screen_unique_id":"%s","event_category":"recommended","price":%d.%02d,"category":"shoes"}}'
)
NAMES = ["button_click", "product_view", "add_to_cart", "search", "_user_engagement", "checkout"]
SCREENS = ["Home", "Product", "Cart", "Search"]


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    random.seed(seed)
    now = int(time.time() * 1000)
    with open(path, "wb") as file:
        for body in range(count):
            device = "%08x-5f13-4a8e-9b1d-%012x" % (seed, body % 500)
            start = now - 600_000 + body % 500
            session = "%s-20231205-%09d" % (device[-8:], body % 500)
            ids = os.urandom(1600).hex().upper()
            events = []
            for index in range(100):
                text = ids[index * 32:index * 32 + 32]
                event_id = f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
                at = now - 500_000 + body * 4 + index
                events.append(
                    HEAD % (device, NAMES[(body + index) % 6], event_id, at)
                    + TAIL % (
                        body % 500, start, start, start, start, session, start, at - start, 3, SCREENS[index // 25],
                        "screen-%d" % (index // 25), index % 90, index,
                    )
                )
            packer = zlib.compressobj(3, zlib.DEFLATED, 31)
            packed = packer.compress(("[" + ",".join(events) + "]").encode()) + packer.flush()
            text = base64.b64encode(packed)
            file.write(hashlib.sha256(text).hexdigest()[:8].encode() + b" " + text + b"\n")


main()
