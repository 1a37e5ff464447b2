// Orders: the values of LIM's message.
#pragma once

#include "common/wire/load.pb.h"
#include "elim/policy/melim/elim_orders.hpp"

namespace rollcall::melim {

ElimOrders orders_of(const wire::MelimOrders& message);
// Of the names that the cluster knows, those that elims of this host may report: what is expected of it, and the
// built-in indices.
ElimNames names_of(const wire::MelimOrders& message);

}  // namespace rollcall::melim
