# The server library of the Pusher HTTP API in Python, driven over HTTP. Each call makes a library of its own.
from importlib.metadata import version

import pusher
from http_driver import serve

METHODS = {"trigger", "trigger_batch", "channels_info", "send_to_user", "authenticate"}


def call(options, method, arguments):
    if method not in METHODS:
        raise ValueError("no method " + method)
    library = pusher.Pusher(ssl=False, timeout=10, **options)
    return {"value": getattr(library, method)(**arguments)}


serve({"version": lambda: {"pusher": version("pusher")}, "call": call})
