/* Fast path of Client.record: converts a dictionary to clickstream_values without text between them.
 *
 * The library is loaded by _library.py; this module calls the address of clickstream_record_values that `bind` receives.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <clickstream.h>

/* Attributes of the fast path; more take the slower one. */
enum { max_values = 64 };

static clickstream_status (*record_values)(clickstream_client *, const char *, size_t, const clickstream_value *, size_t);

/* Values of a dictionary, and references to their texts: another thread may change the dictionary during the call. */
struct list {
    clickstream_value values[max_values];
    PyObject *held[2 * max_values + 1];
    size_t count;
    size_t held_count;
};

/* Returns the UTF-8 of `text`, which lives as long as `text`; NULL without an exception if it is not a str, or not UTF-8. */
static const char *utf8(struct list *list, PyObject *text, size_t *length) {
    Py_ssize_t size;
    if (!PyUnicode_CheckExact(text)) return NULL;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes) {
        PyErr_Clear();
        return NULL;
    }
    *length = (size_t)size;
    Py_INCREF(text);
    list->held[list->held_count++] = text;
    return bytes;
}

/* Appends an attribute, unless it is None. Returns 0 if it needs the slower path. */
static int append(struct list *list, PyObject *name, PyObject *value) {
    if (list->count == max_values || list->held_count >= 2 * max_values) return 0;
    clickstream_value *target = &list->values[list->count];
    target->name = utf8(list, name, &target->name_length);
    if (!target->name) return 0;
    if (value == Py_None) return 1;
    if (PyUnicode_CheckExact(value)) {
        target->kind = CLICKSTREAM_VALUE_STRING;
        target->value.string.start = utf8(list, value, &target->value.string.length);
        if (!target->value.string.start) return 0;
    } else if (PyBool_Check(value)) {
        target->kind = CLICKSTREAM_VALUE_BOOL;
        target->value.integer = value == Py_True;
    } else if (PyLong_CheckExact(value)) {
        int overflow;
        target->kind = CLICKSTREAM_VALUE_INT;
        target->value.integer = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (overflow) return 0;
    } else if (PyFloat_CheckExact(value)) {
        target->kind = CLICKSTREAM_VALUE_DOUBLE;
        target->value.number = PyFloat_AsDouble(value);
    } else {
        return 0;
    }
    list->count++;
    return 1;
}

PyDoc_STRVAR(record_doc, "record(client, name, attributes): status of the call, or None if the arguments need the slower path.\n"
                         "client is the address of the handle, attributes a dict or None.");
static PyObject *record(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 3 || !record_values) {
        PyErr_SetString(PyExc_TypeError, "record expects a client, a name and attributes, after bind");
        return NULL;
    }
    void *client = PyLong_AsVoidPtr(arguments[0]);
    if (PyErr_Occurred()) return NULL;
    struct list list;
    list.count = list.held_count = 0;
    size_t length = 0;
    int is_fast = 1;
    const char *name = utf8(&list, arguments[1], &length);
    PyObject *attributes = arguments[2], *key, *value;
    if (!name) {
        is_fast = 0;
    } else if (PyDict_CheckExact(attributes)) {
        Py_ssize_t position = 0;
        while (is_fast && PyDict_Next(attributes, &position, &key, &value)) is_fast = append(&list, key, value);
    } else {
        is_fast = attributes == Py_None;
    }
    clickstream_status status = CLICKSTREAM_OK;
    if (is_fast) {
        /* A thread that holds the client's lock may be calling an observer, which needs the interpreter's lock. */
        Py_BEGIN_ALLOW_THREADS
        status = record_values(client, name, length, list.values, list.count);
        Py_END_ALLOW_THREADS
    }
    for (size_t i = 0; i < list.held_count; i++) Py_DECREF(list.held[i]);
    if (!is_fast) Py_RETURN_NONE;
    return PyLong_FromLong(status);
}

PyDoc_STRVAR(bind_doc, "bind(address): sets the address of clickstream_record_values.");
static PyObject *bind(PyObject *module, PyObject *address) {
    (void)module;
    void *function = PyLong_AsVoidPtr(address);
    if (PyErr_Occurred()) return NULL;
    memcpy(&record_values, &function, sizeof function);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"record", (PyCFunction)(void (*)(void))record, METH_FASTCALL, record_doc},
    {"bind", bind, METH_O, bind_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_recorder", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__recorder(void) { return PyModule_Create(&definition); }
