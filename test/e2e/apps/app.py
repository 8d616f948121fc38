"""An application: official SDKs that read nothing but their usual environment variables. It knows nothing of a gateway. As app.mjs."""

import json
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic
import openai

# Retries would hide what the tests look for.
openai_client = openai.OpenAI(max_retries=0)
anthropic_client = anthropic.Anthropic(max_retries=0)


def ask_openai(asked, on_delta):
    body = {"model": asked.get("model", "auto"), "messages": [{"role": "user", "content": asked["prompt"]}]}
    if "maxTokens" in asked:
        body["max_tokens"] = asked["maxTokens"]
    stream = asked.get("stream", False)
    raw = openai_client.chat.completions.with_raw_response.create(**body, stream=stream, extra_headers=asked.get("headers"))
    if not stream:
        return raw.parse().choices[0].message.content, raw.headers
    for chunk in raw.parse():
        if chunk.choices:
            on_delta(chunk.choices[0].delta.content or "")
    return None, raw.headers


def ask_anthropic(asked, on_delta):
    body = {
        "model": asked.get("model", "auto"),
        "max_tokens": asked.get("maxTokens", 512),
        "messages": [{"role": "user", "content": asked["prompt"]}],
    }
    stream = asked.get("stream", False)
    raw = anthropic_client.messages.with_raw_response.create(**body, stream=stream, extra_headers=asked.get("headers"))
    if not stream:
        return raw.parse().content[0].text, raw.headers
    for event in raw.parse():
        if event.type == "content_block_delta":
            on_delta(event.delta.text)
    return None, raw.headers


ASKS = {"openai": ask_openai, "anthropic": ask_anthropic}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()
        pieces = []

        def on_delta(delta):
            if delta:
                pieces.append(delta)
                self.line({"delta": delta})

        try:
            text, headers = ASKS[asked.get("sdk", "openai")](asked, on_delta)
            self.line({"done": True, "text": text or "".join(pieces), "pieces": len(pieces), "headers": dict(headers)})
        except (openai.APIStatusError, anthropic.APIStatusError) as error:
            code = getattr(error, "code", None)
            self.line({"error": {"status": error.status_code, "code": code, "message": str(error)}, "headers": dict(error.response.headers)})
        except Exception as error:
            self.line({"error": {"status": 0, "code": type(error).__name__, "message": str(error)}})

    def line(self, document):
        self.wfile.write((json.dumps(document) + "\n").encode())
        self.wfile.flush()

    def log_message(self, *_):
        pass


def serve():
    server = ThreadingHTTPServer(("", 8080), Handler)
    server.daemon_threads = False
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()
    server.server_close()


if len(sys.argv) > 1 and sys.argv[1] == "once":
    print(ASKS[sys.argv[2]]({"prompt": sys.argv[3]}, lambda _: None)[0])
else:
    serve()
