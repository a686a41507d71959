"""Takes the mails that Odoo sends, and delivers none: each becomes a line of JSON on descriptor 4.

It runs beside Odoo in the sandbox of an instance, which has a network of its own and nobody in it. So
whatever a mail has in it is parsed where the modules run that have written it.
"""

import email
import email.policy
import html.parser
import json
import os
import socketserver
import sys
import threading

MOST_BYTES = 8 * 1024 * 1024
MOST_TEXT = 16_000
OUT = os.fdopen(4, "wb")
WRITING = threading.Lock()


class Text(html.parser.HTMLParser):
    """The text of HTML, a line for each block.

    Tags of the head, the body and of paragraphs may be left out, so only what itself holds no text for
    readers is hidden. No other element may be in it, so the next tag ends it, whichever that is.
    """

    HIDDEN = {"script", "style", "title"}
    BLOCKS = {"p", "div", "br", "tr", "li", "h1", "h2", "h3", "table"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts = []
        self.hidden = False

    def handle_starttag(self, tag, attrs):
        self.hidden = tag in self.HIDDEN
        if tag in self.BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag):
        self.hidden = False

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(" ".join(data.split()) + " ")

    def text(self):
        lines = (line.strip() for line in "".join(self.parts).split("\n"))
        return "\n".join(line for line in lines if line)


def text_of(message):
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    content = part.get_content()
    if part.get_content_subtype() != "html":
        return content
    parser = Text()
    parser.feed(content[: 20 * MOST_TEXT])
    parser.close()
    return parser.text()


def described(data, sender, recipients):
    subject = ""
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
        subject = str(message.get("subject", ""))
        text = text_of(message)
    except Exception as error:  # Of a mail that is none.
        text = f"This mail cannot be read: {error}"
    return {
        "sender": sender[:500],
        "recipients": [each[:500] for each in recipients[:50]],
        "subject": subject[:1000],
        "text": text[:MOST_TEXT],
    }


class Session(socketserver.StreamRequestHandler):
    timeout = 60

    def say(self, line):
        self.wfile.write(line.encode("ascii") + b"\r\n")

    def data(self):
        """The mail that follows; None for one that is too large, of which the rest is read."""
        lines, size = [], 0
        while True:
            line = self.rfile.readline(65_536)
            if not line:
                raise ConnectionError
            if line in (b".\r\n", b".\n"):
                return b"".join(lines) if size <= MOST_BYTES else None
            size += len(line)
            if size <= MOST_BYTES:
                lines.append(line[1:] if line.startswith(b"..") else line)

    def handle(self):
        sender, recipients = "", []
        self.say("220 catcher ESMTP")
        while line := self.rfile.readline(4_096):
            said = line.decode("utf-8", "replace").strip()
            verb = said[:4].upper()
            address = said.partition(":")[2].strip().partition(" ")[0].strip("<>")
            if verb == "EHLO":
                self.say("250-catcher")
                self.say(f"250-SIZE {MOST_BYTES}")
                self.say("250-8BITMIME")
                self.say("250 SMTPUTF8")
            elif verb == "MAIL":
                sender, recipients = address, []
                self.say("250 ok")
            elif verb == "RCPT":
                if len(recipients) < 1_000:
                    recipients.append(address)
                self.say("250 ok")
            elif verb == "DATA":
                self.say("354 go on")
                data = self.data()
                if data is None:
                    self.say("552 too large")
                    continue
                line = json.dumps(described(data, sender, recipients)) + "\n"
                with WRITING:
                    OUT.write(line.encode("utf-8"))
                    OUT.flush()
                self.say("250 caught")
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok" if verb in ("HELO", "RSET", "NOOP") else "502 unknown")


class Server(socketserver.ThreadingTCPServer):
    """A sender that is silent, or a mail that takes long to read, keeps nobody else waiting."""

    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, request, client_address):
        print("A mail was not caught.", file=sys.stderr)


if __name__ == "__main__":
    with Server(("127.0.0.1", 2525), Session) as server:
        server.serve_forever()
