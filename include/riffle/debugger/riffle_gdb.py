"""How gdb shows riffle's types: gdb 13 or newer, with its Python. Load this file in one of three ways:

    (gdb) source .../include/riffle/debugger/riffle_gdb.py
    (gdb) python import riffle_gdb; riffle_gdb.register()      where Python finds this folder
    $ ln -s .../riffle_gdb.py program-gdb.py                   beside the program, which gdb then does for itself, where
                                                               its `set auto-load safe-path` allows the folder
Then

    (gdb) print sampler
    $1 = top_k{k = 40} | top_p{p = 0.95, min_keep = 0} | dist{seed = 42}

and `print/r` shows what lies beneath. Whatever cannot be read is shown as <the reason>; nothing is raised.
"""

import ctypes
import functools
import itertools
import re
import runpy

import gdb
import gdb.printing

few = 8  # elements of a list in a line
deepest = 1  # level of an object whose members are left out: those of a parameter are shown, and of these no more
most_stages = 32  # of a chain; what is not yet constructed may claim to have more
most_words = 2**24 // 32  # of a token_set, likewise


def readable(read):
    """The same function, with the reason in the place of what cannot be read."""

    @functools.wraps(read)
    def reading(*arguments):
        try:
            return read(*arguments)
        except Exception as reason:
            return "<optimized out>" if "optimized out" in str(reason) else "<%s>" % reason

    return reading


# --- any value in one line --------------------------------------------------------------------------------------------


@readable
def shown(value, level=0):
    kind = value.type.strip_typedefs().code
    if kind == gdb.TYPE_CODE_FLT:
        return shortest(float(value), value.type.sizeof)
    if kind in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
        return str(int(value))
    if kind == gdb.TYPE_CODE_ENUM:
        return re.sub(r"\w+::", "", value.format_string())
    if kind in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return object_in_line(value, level)
    return value.format_string(symbols=False, max_elements=few)


def shortest(number, bytes_of_type):
    """The shortest decimal number that is this one, so that 0.95f is not 0.949999988."""
    of_type = (lambda x: ctypes.c_float(x).value) if bytes_of_type == 4 else float
    candidates = ("%.*g" % (digits, number) for digits in range(1, 18))
    return next((c for c in candidates if of_type(float(c)) == number), "%g" % number)


def object_in_line(value, level):
    view = view_of(value.type)
    if view:
        return view.in_line(value)
    if is_vector(value.type):
        return listed(shown(element, level) for element in elements(value))
    if gdb.default_visualizer(value):
        return value.format_string(max_elements=few)
    return "{...}" if level == deepest else "{%s}" % members_in_line(value, level + 1)


def listed(texts):
    first = list(itertools.islice(texts, few + 1))
    return "{%s}" % ", ".join(first if len(first) <= few else first[:few] + ["..."])


def members_in_line(value, level=0):
    def in_line(name, member):
        text = shown(member, level)
        return "%s = %s" % (name.rstrip("_"), text) if name else text

    return ", ".join(in_line(name, member) for name, member in members(value))


def members(value):
    """The names and values of what lies in an object, also in its bases: nothing static, no virtual table."""
    for field in value.type.strip_typedefs().fields():
        if not hasattr(field, "bitpos") or field.artificial:
            continue
        if field.is_base_class:
            yield from members(value[field])
        else:
            yield field.name, value[field]


@readable
def c_string(value):
    return value.string(errors="backslashreplace")


# --- the standard library: of g++ and of clang ------------------------------------------------------------------------


def name_of(some_type):
    return some_type.strip_typedefs().unqualified().name or ""


def has_member(value, name):
    return any(field.name == name for field in value.type.strip_typedefs().fields())


def is_vector(some_type):
    return re.match(r"std::(\w+::)*vector<(?!bool)", name_of(some_type)) is not None


def elements(vector, most=None):
    """Those of a vector, read as they are asked for."""
    if has_member(vector, "__begin_"):
        first, last = vector["__begin_"], vector["__end_"]
    else:
        first, last = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    count = int(last - first)
    for i in range(count if most is None else min(count, most)):
        yield first[i]


def elements_of_tuple(value):
    """Both libraries derive a tuple from one class for each element, whose first argument is the element's index."""
    found = {}
    collect_elements(value, found)
    return [found[index] for index in sorted(found)]


def collect_elements(value, found):
    for field in value.type.strip_typedefs().fields():
        if not field.is_base_class and field.name != "__base_":
            continue
        part = value[field]
        if re.match(r"std::(\w+::)*(_Head_base|__tuple_leaf)<", name_of(part.type)):
            found[int(part.type.template_argument(0))] = element_in(part)
        else:
            collect_elements(part, found)


def element_in(part):
    for name in ("_M_head_impl", "__value_"):
        if has_member(part, name):
            return part[name]
    return part.cast(part.type.template_argument(1))  # an empty element is a base, too


# --- chains -----------------------------------------------------------------------------------------------------------


def stages_in_line(stages):
    return " | ".join(stages) or "no stages"


@readable
def stage_in_line(stage):
    return "%s{%s}" % (bare(name_of(stage.type)), members_in_line(stage))


def bare(name):
    """Without namespaces and template arguments."""
    return name.split("<")[0].split("::")[-1]


@readable
def pipeline_in_line(value):
    return stages_in_line(map(stage_in_line, elements_of_tuple(value["stages_"])))


@readable
def dynamic_chain_in_line(value):
    held = value["stages_"]
    stages = stages_in_line(map(held_stage_in_line, elements(held["stages_"], most_stages)))
    refusal = shown(held["state_"])
    return stages if refusal == "ok" else "%s (%s)" % (stages, refusal)


@readable
def held_stage_in_line(stage_ref):
    """A stage_ref tells its type by a function, type_of<S>, whose debug information says what S is."""
    ops = stage_ref["ops"].dereference()
    stage_type = argument_of(function_at(ops["type"]))
    if stage_type is None:
        return c_string(ops["name"])
    return stage_in_line(stage_ref["spec"].cast(stage_type.pointer()).dereference())


def argument_of(type_of):
    """S of type_of<S>; None where debug information lacks it. (Then any other S might be found.)"""
    try:
        found = gdb.lookup_type("S", type_of) if type_of else None
    except gdb.error:
        return None
    expected = found and re.search("type_of<(.*)>", type_of.function.name)
    return found if expected and bare(expected.group(1)) == bare(name_of(found)) else None


@readable
def any_pipeline_in_line(value):
    """The type of what is held is that of `this` in a function of its virtual table. (gdb itself looks for the type by
    the name of that table, which clang spells in another way, and warns where it finds none. So it is kept from
    looking: to it the pointer is a number.)"""
    held = gdb.Value(int(value["held_"]))
    if held == 0:
        return "empty"
    table = held.cast(gdb.lookup_type("void").pointer().pointer().pointer()).dereference()
    clone = function_at(table[2])  # behind two destructors
    this = gdb.lookup_symbol("this", clone)[0] if clone else None
    if this is None:
        return "a chain without debug information"
    return shown(member_at(held, this.type.target()["chain"]))


def member_at(address, field):
    return (address + field.bitpos // 8).cast(field.type.pointer()).dereference()


def function_at(address):
    """The block of the function that begins there, None without debug information."""
    block = gdb.block_for_pc(int(address))
    while block and block.superblock and not block.superblock.is_static:  # what was inlined at its beginning
        block = block.superblock
    return block if block and block.superblock else None


# --- what chains read and answer --------------------------------------------------------------------------------------


@readable
def candidates_in_line(value):
    order = {"true": "sorted", "false": "unsorted"}.get(shown(value["sorted"]), "sorted = " + shown(value["sorted"]))
    return "%s candidates (%s, selected = %s)" % (shown(value["size"]), order, shown(value["selected"]))


def first_candidates(value):
    size = int(value["size"])
    for i in range(min(size, few)):
        token = value["data"][i]
        token.fetch_lazy()  # where this raises, one reason stands for all
        yield "[%d]" % i, token
    if size > few:
        yield "[...]", "..."


@readable
def token_data_in_line(value):
    return ":".join(shown(value[member]) for member in ("id", "logit", "p"))


@readable
def status_in_line(value):
    code = shown(value["code_"])
    seen = [name for name in ("nan", "infinity") if shown(value["saw_%s_" % name]) == "true"]
    why = "" if code == "ok" else reason_of(value)
    return code + why + "".join(", saw " + name for name in seen)


def reason_of(status):
    stage, field, rule = (c_string(status[name]) for name in ("stage_", "field_", "rule_"))
    if rule:
        return ": %s: %s = %s %s" % (stage, field, digits_of(status["value_"]), rule)
    return ": " + stage if stage else ""


@readable
def digits_of(value):
    """As status::message() has them."""
    number = float(value)
    return "%.*g" % (10 if number.is_integer() and abs(number) < 1e10 else 6, number)


@readable
def result_in_line(value):
    return "{%s}" % members_in_line(value)


@readable
def step_in_line(value):
    said = [name for name in ("finished", "refused") if shown(value[name]) == "true"]
    rewind = shown(value["rewind"])
    if rewind != "0":
        said.append("rewind = " + rewind)
    return ", ".join([shown(value["state"])] + said)


@readable
def text_in_line(value):
    data, size = value["data_"], int(value["size_"])
    if size == 0:
        return '""'
    if int(data) == 0:  # or nowhere in memory, which gdb has words for
        return data.format_string()
    return data.lazy_string(length=size).value().format_string()


@readable
def token_set_in_line(value):
    return listed(map(str, ids_of(value)))


@readable
def count_of_ids(value):
    return "%s ids" % shown(value["size_"])


def ids_of(token_set):
    for place, word in enumerate(elements(token_set["words_"], most_words)):
        bits = int(word)
        while bits:
            lowest = bits & -bits
            yield place * 32 + lowest.bit_length() - 1
            bits ^= lowest


def children_of_token_set(value):
    for place, token in enumerate(ids_of(value)):
        yield "[%d]" % place, token


# --- which type is shown how ------------------------------------------------------------------------------------------


class View:
    """How a type is shown: in a line, for itself (the same, if nothing else is said), and with what below it."""

    def __init__(self, in_line, alone=None, children=None):
        self.in_line = in_line
        self.alone = alone or in_line
        self.children = children


views = {
    "pipeline": View(pipeline_in_line),
    "basic_dynamic_chain": View(dynamic_chain_in_line),
    "any_pipeline": View(any_pipeline_in_line),
    "candidates": View(candidates_in_line, children=first_candidates),
    "token_data": View(token_data_in_line),
    "status": View(status_in_line),
    "result": View(result_in_line),
    "step": View(step_in_line),
    "text": View(text_in_line),
    "basic_token_set": View(token_set_in_line, count_of_ids, children_of_token_set),
}


def view_of(some_type):
    """The namespace inside riffle is RIFFLE_ABI, which some debug information leaves out."""
    found = re.match(r"riffle::(?:v\d+_\w+::)?(\w+)(?:<.*>)?$", name_of(some_type), re.DOTALL)
    return views.get(found.group(1)) if found else None


class Printer:
    def __init__(self, value, view):
        self.value = value
        self.view = view

    def to_string(self):
        return self.view.alone(self.value)


class PrinterWithChildren(Printer):
    def children(self):
        try:
            yield from self.view.children(self.value)
        except Exception as reason:
            yield "[...]", "<%s>" % reason

    def display_hint(self):
        return "array"


class Printers(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("riffle")

    def __call__(self, value):
        if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        view = view_of(value.type)
        if not view:
            return None
        return (PrinterWithChildren if view.children else Printer)(value, view)


def register():
    """For the program whose file gdb loads this for, else for all."""
    gdb.printing.register_pretty_printer(gdb.current_objfile(), Printers(), replace=True)


if __name__ == "__main__":  # as `source` runs it, among the names of all other scripts; those of its own go elsewhere
    runpy.run_path(__file__)["register"]()
