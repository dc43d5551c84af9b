import multiprocessing

import clickstream


def open_client() -> clickstream.Client:
    return clickstream.Client(app_id="shopping", endpoint="http://127.0.0.1:9090/collect")


def start_worker() -> None:
    global client
    client = open_client()


def resize(picture: int) -> None:
    client.record("picture_resized", {"picture": picture})


if __name__ == "__main__":
    with multiprocessing.Pool(4, initializer=start_worker) as pool:
        pool.map(resize, range(100))
    with open_client() as client:
        report = client.flush(timeout=5)
        print(f"sent {report.sent}, retained {report.retained} {report.message}")
