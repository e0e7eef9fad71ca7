"""Documents beside their schemas, by python3-jsonschema: a line is schema<TAB>json or document<TAB>json.

Prints each document that its schema does not take, and how many were looked at; ends with 1 where there is one. A schema
whose patterns Python cannot read is left out.
"""
import decimal
import json
import re
import sys
import warnings

import jsonschema

warnings.simplefilter("ignore")


def read(text):
    """With decimals: in doubles 19.99 is no multiple of 0.01."""
    return json.loads(text, parse_float=decimal.Decimal)


class formats:
    """The formats of a draft. Python's dates begin with the year 1 and know no leap seconds, so 0000 counts as a leap
    year that it has, and a second 60 as 59."""

    def __init__(self, of):
        self.of = of

    def check(self, instance, format):
        if isinstance(instance, str) and format in ("date", "date-time", "time"):
            instance = re.sub(r"^0000-", "0004-", instance).replace(":60", ":59")
        self.of.check(instance, format)


def validator_of(schema):
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    return kind(schema, format_checker=formats(kind.FORMAT_CHECKER))


def main(path):
    validator, looked_at, invalid, left_out = None, 0, 0, 0
    for line in open(path, encoding="utf-8"):
        kind, text = line.rstrip("\n").split("\t")
        if kind == "schema":
            validator = validator_of(read(text))
            continue
        if validator is None:
            continue
        try:
            problem = jsonschema.exceptions.best_match(validator.iter_errors(read(text)))
        except re.error:
            validator, left_out = None, left_out + 1
            continue
        looked_at += 1
        if problem is not None:
            invalid += 1
            print(f"{text}\n  {problem.json_path}: {problem.message[:300]}\n  of {str(validator.schema)[:300]}")
    print(f"{looked_at} documents, {invalid} of them invalid, {left_out} schemas left out")
    return 1 if invalid else 0


sys.exit(main(sys.argv[1]))
