// The functions that c_interface.cpp calls.
#include <riffle/c_api.hpp>
