"""Make a conversation of a recording: what the front end sent, and what it must get.

    python distill.py RECORDING PROGRAM VERSION HOW > conversation.jsonl

Each request keeps its header but for the id, and its content as it was sent. Of the answers it keeps what another run must give as well: of
a reply the entries in KEPT, of what was published the types in order, where the number of messages depends on the time as "…". A widget
that a message names by the id which the kernel gave it is described by what it is ("widgets"): the replay puts the present id in its place. A
shutdown, with which the conversation would end, is left out.
"""

import json
import sys

KEPT = {
    "execute_reply": ("status", "execution_count", "ename"),
    "kernel_info_reply": ("status", "protocol_version", "implementation"),
    "complete_reply": ("status", "matches", "cursor_start", "cursor_end"),
    "inspect_reply": ("status", "found"),
    "is_complete_reply": ("status", "indent"),
    "history_reply": ("status",),
    "comm_info_reply": ("status",),
    "interrupt_reply": ("status",),
}
# How many of them there are depends on the time.
FLEETING = {"comm_msg", "update_display_data", "stream"}
# What tells a widget from others.
TELLING = ("_model_name", "_anywidget_id", "description")


def described(message):
    kind = message["header"]["msg_type"]
    return f"{kind} {message['content']['execution_state']}" if kind == "status" else kind


class Request:
    def __init__(self, message):
        self.message, self.reply, self.published, self.at = message, None, [], {}
        self.done = None

    def hear(self, index, message):
        if message["socket"] == "iopub":
            self.published.append((index, message))
        else:
            self.reply = (index, message)
        idle = [i for i, m in self.published if described(m) == "status idle"]
        if idle and (self.reply or not self.asks()):
            self.done = max(idle[-1], self.reply[0] if self.reply else 0)

    def asks(self):
        return self.message["header"]["msg_type"].endswith("_request")

    def answer(self):
        answer = {}
        if self.reply:
            content = self.reply[1]["content"]
            answer["reply"] = {key: content[key] for key in KEPT.get(self.reply[1]["header"]["msg_type"], ("status",)) if key in content}
        kinds = []
        for _, message in self.published:
            kind = described(message)
            # Busy again: another request was answered meanwhile.
            if message["header"]["msg_type"] in FLEETING or (kind == "status busy" and kinds):
                kind = "…"
            if kind != "…" or kinds[-1:] != ["…"]:
                kinds.append(kind)
            if kind == "display_data":  # which may be brought up to date, or not
                kinds.append("…")
        if kinds[:1] == ["status busy"] and "status idle" in kinds:  # what is published before a front end has subscribed is lost
            answer["published"] = kinds
        shows = {m["header"]["msg_type"]: m["content"]["evalue"].split('"')[0] for _, m in self.published if m["header"]["msg_type"] == "error"}
        if shows:
            answer["shows"] = shows
        return answer


def read(path):
    """The requests, in the order in which they were sent, each with the place of its message among all; and what widgets are, by id."""
    requests, widgets = {}, {}
    with open(path) as lines:
        for index, line in enumerate(lines):
            message = json.loads(line)
            if message["from"] == "front":
                requests[message["header"]["msg_id"]] = request = Request(message)
                request.sent = index
            elif (parent := message["parent_header"].get("msg_id")) in requests:
                requests[parent].hear(index, message)
            if message["from"] == "kernel" and message["header"]["msg_type"] == "comm_open":
                state = message["content"]["data"].get("state", {})
                widgets[message["content"]["comm_id"]] = {key: state[key] for key in TELLING if key in state}
    return [r for r in requests.values() if r.message["header"]["msg_type"] != "shutdown_request"], widgets


def distilled(requests, widgets):
    waiting = []
    for number, request in enumerate(requests):
        for earlier in [r for r in waiting if r.done is not None and r.done < request.sent]:
            waiting.remove(earlier)
            yield {"await": earlier.name} | earlier.answer()
        header = {k: v for k, v in request.message["header"].items() if k not in ("msg_id", "msg_type")}
        line = {
            "socket": request.message["socket"],
            "message": request.message["header"]["msg_type"],
            "header": header,
            "parent_header": {},
            "metadata": request.message["metadata"],
            "content": request.message["content"],
        }
        named = {id: what for id, what in widgets.items() if id in json.dumps(line["content"])}
        if named:
            line["widgets"] = named
        following = requests[number + 1].sent if number + 1 < len(requests) else None
        if request.done is not None and (following is None or request.done < following):
            yield line | request.answer()
            continue
        request.name = f"{line['message']} {number + 1}"
        line["later"] = request.name
        before = [described(m) for i, m in request.published if following is None or i < following]
        meanwhile = [r.message["header"]["msg_type"] for r in requests if request.sent < r.sent < (request.done or request.sent)]
        if "interrupt_request" in meanwhile and len(before) > 1:  # it is not interrupted before it runs
            line["until"] = before[-1]
        waiting.append(request)
        yield line
    for request in waiting:
        if request.done is None and request.reply is None:
            raise SystemExit(f"{request.name} was not answered to its end")
        yield {"await": request.name} | request.answer()


if __name__ == "__main__":
    recording, program, version, how = sys.argv[1:]
    print(json.dumps({"program": program, "version": version, "recorded": how}, ensure_ascii=False))
    for line in distilled(*read(recording)):
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
