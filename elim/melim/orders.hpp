// Orders: the values of LIM's message.
#pragma once

#include "common/wire/load.pb.h"
#include "elim/policy/elim_orders.hpp"

namespace rollcall::melim {

ElimOrders orders_of(const wire::MelimOrders& message);
ElimNames names_of(const wire::MelimOrders& message);

}  // namespace rollcall::melim
