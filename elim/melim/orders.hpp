// orders: converts LIM's message to MelimOrders.
#pragma once

#include "common/wire/load.pb.h"
#include "elim/policy/melim/elim_orders.hpp"

namespace rollcall::melim {

ElimOrders orders_of(const wire::MelimOrders& message);
// The names that elims of this host may report: the resources expected of it, and the built-in indices.
ElimNames names_of(const wire::MelimOrders& message);

}  // namespace rollcall::melim
