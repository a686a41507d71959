"""archive.py FOLDER NAME OUT CONFIG: a folder as an image of one layer, in the format of `docker save`."""
import hashlib, io, json, os, subprocess, sys, tarfile

folder, name, out, config = sys.argv[1:]
layer = out + ".layer"
subprocess.run(["tar", "--numeric-owner", "--sort=name", "-C", folder, "-cf", layer, "."], check=True)
with open(layer, "rb") as file:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
image = {
    "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine],
    "os": "linux",
    "config": json.loads(config),
    "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest]},
}
content = json.dumps(image).encode()
own = hashlib.sha256(content).hexdigest() + ".json"
manifest = json.dumps([{"Config": own, "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
with tarfile.open(out, "w") as tar:
    for path, data in ((own, content), ("manifest.json", manifest)):
        info = tarfile.TarInfo(path)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    tar.add(layer, "layer.tar")
os.remove(layer)
