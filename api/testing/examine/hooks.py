"""What schemathesis cannot know from openapi.json: ids of the world, what is used up, and which refusals are right."""

import itertools
import json
import re

import schemathesis

with open("world.json") as file:
    WORLD = json.load(file)

USES_UP = {"delete_workspace", "transfer_ownership"}
SECRET = set(WORLD["secret"])
calls = itertools.count(1)
workspaces = itertools.cycle(WORLD["disposable"])


def operation_id(case):
    return case.operation.definition.raw["operationId"]


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Gives parameters and bodies examples that exist, and takes those of answers, which name objects that do not."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            examples = WORLD["examples"].get(operation["operationId"], {})
            for parameter in operation["parameters"]:
                if parameter["name"] in examples:
                    parameter["example"] = examples[parameter["name"]]
            if "body" in examples:
                operation["requestBody"]["content"]["application/json"]["example"] = examples["body"]
            for answer in operation["responses"].values():
                answer.get("content", {}).get("application/json", {}).pop("example", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Renews what works once. Otherwise nearly all answers would be 404, 403 and 409."""
    path, headers = case.path_parameters or {}, case.headers or {}
    if operation_id(case) in USES_UP and path.get("org_id") in WORLD["kept"]:
        path["org_id"] = next(workspaces)
    # One in eight good keys stays, so that keys are repeated too, with the same request and with another.
    key = headers.get("Idempotency-Key")
    if key is not None and re.fullmatch("[ -~]{1,255}", key) and (call := next(calls)) % 8:
        headers["Idempotency-Key"] = f"examined-{call}"


@schemathesis.check
def nothing_for_strangers(ctx, response, case):
    """With the key of somebody of another world, nothing of this world opens."""
    known = SECRET.intersection((case.path_parameters or {}).values())
    assert not known or response.status_code >= 400, f"a stranger got {response.status_code} for {known}"


# Rules that no schema can tell: about what is in the database, and about names.
STATE = {
    "already_owner",
    "character_not_allowed",
    "cursor_invalid",
    "monthly_cap_below_amount",
    "no_visible_character",
    "not_a_member",
    "team_name_taken",
}


def is_right(item, operation):
    kind, value = item["type"], item.get("input")
    if kind == "missing":
        return operation.endswith("auto_reload")  # all fields are needed, but only to switch it on
    if kind in ("greater_than_equal", "less_than_equal"):
        return isinstance(value, str)  # JSON Schema has bounds for numbers, none for decimal strings
    if kind == "decimal_max_places":
        return isinstance(value, float)  # said in words: many validators cannot divide by 0.01
    if kind == "string_too_short":
        return value.strip() == ""  # characters are counted after trimming
    return kind in STATE


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops "schema-valid request rejected" when each item of the 422 is right all the same."""
    if failure.code != "ST202" or response.status_code != 422:
        return True
    return not all(is_right(item, operation_id(case)) for item in response.json()["detail"])
