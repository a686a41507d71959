"""A folder of this machine for each claim that a Pod waits for; removed once it is released."""
import json, os, shutil, subprocess, time

PLACE = os.path.join(os.environ["RUN"], "volumes")


def kubectl(*args, stdin=None):
    return subprocess.run(["kubectl", *args], input=stdin, capture_output=True, text=True)


def items(kind):
    listed = kubectl("get", kind, "--all-namespaces", "--output", "json")
    return json.loads(listed.stdout)["items"] if listed.returncode == 0 else []


def volume_for(claim):
    meta, spec = claim["metadata"], claim["spec"]
    name = "volume-" + meta["uid"]
    path = os.path.join(PLACE, name)
    # Of root, as a new disk is: the kubelet gives it to the group of the Pod.
    os.makedirs(path, exist_ok=True)
    # What several Pods share is a file server's, whose groups the kubelet leaves alone.
    if "ReadWriteMany" in spec["accessModes"]:
        os.chmod(path, 0o2777)
    node = {"key": "kubernetes.io/hostname", "operator": "In", "values": [os.environ["NODE"]]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "local": {"path": path},
            "capacity": spec["resources"]["requests"],
            "accessModes": spec["accessModes"],
            "storageClassName": spec["storageClassName"],
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {key: meta[key] for key in ("namespace", "name", "uid")},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [node]}]}},
        },
    }


while True:
    time.sleep(0.7)
    for claim in items("persistentvolumeclaims"):
        meta, spec = claim["metadata"], claim["spec"]
        waits = "volume.kubernetes.io/selected-node" in meta.get("annotations", {})
        if waits and "volumeName" not in spec and "deletionTimestamp" not in meta:
            kubectl("apply", "--filename", "-", stdin=json.dumps(volume_for(claim)))
    for volume in items("persistentvolumes"):
        if volume.get("status", {}).get("phase") in ("Released", "Failed"):
            shutil.rmtree(os.path.join(PLACE, volume["metadata"]["name"]), ignore_errors=True)
            kubectl("delete", "persistentvolume", volume["metadata"]["name"], "--wait=false")
