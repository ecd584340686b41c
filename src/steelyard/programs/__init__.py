"""The turn-program language: parse, execute, compare operations.

A program is the gold reasoning of one turn of ConvFinQA: `subtract(8181, 20454), divide(#0, 20454)`. Nothing here
evaluates text as Python, and every function is linear in the length of its input but for `operation_order`.
"""

from steelyard.programs.blocks import logic_recall_block, operations_block
from steelyard.programs.comparison import (
    incremental,
    incremental_operations,
    operand_accuracy,
    program_equivalence,
)
from steelyard.programs.execution import Result, StepResult, execute
from steelyard.programs.expressions import expression_operations, expression_steps
from steelyard.programs.nodes import OPERATIONS, Constant, Literal, Program, Reference, RowName, Step
from steelyard.programs.operations import (
    logic_f1,
    logic_precision,
    logic_recall,
    operation_order,
    operations,
    operations_per_turn,
    plan_operations,
)
from steelyard.programs.plans import PLAN_OPERATIONS, Table, plan_program
from steelyard.programs.problems import ProgramError
from steelyard.programs.syntax import parse

__all__ = [
    "OPERATIONS",
    "PLAN_OPERATIONS",
    "Constant",
    "Literal",
    "Program",
    "ProgramError",
    "Reference",
    "Result",
    "RowName",
    "Step",
    "StepResult",
    "Table",
    "execute",
    "expression_operations",
    "expression_steps",
    "incremental",
    "incremental_operations",
    "logic_f1",
    "logic_precision",
    "logic_recall",
    "logic_recall_block",
    "operand_accuracy",
    "operation_order",
    "operations",
    "operations_block",
    "operations_per_turn",
    "parse",
    "plan_operations",
    "plan_program",
    "program_equivalence",
]
