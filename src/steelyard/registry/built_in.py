"""Where the scorers and metrics of Steelyard itself stand: a module is imported when one of its names is asked for.

A part is a sub-score that no scorer or metric is called by; the first scorer that has it, in order of names, is where
its direction and its kind are read. A test holds the table to what the modules register.
"""

from __future__ import annotations

_NAMES = {
    "steelyard.aggregate.classification": (
        "accuracy confusion_matrix f1_per_class macro_f1 precision_per_class recall_per_class support weighted_f1"
    ),
    "steelyard.aggregate.losses": "eval_loss perplexity",
    "steelyard.research.measures": (
        "abstention_accuracy citation_precision evidence_coverage_rate false_assertion_rate golden_recall "
        "manifest_integrity over_abstention_rate"
    ),
    "steelyard.scoring.answer_correctness": "answer_correctness",
    "steelyard.scoring.bleu": "bleu",
    "steelyard.scoring.choice": "choice",
    "steelyard.scoring.chrf": "chrf",
    "steelyard.scoring.gold": "gold_set_accuracy",
    "steelyard.scoring.instructions": (
        "instruction_accuracy instruction_accuracy_loose instructions instructions_followed instructions_loose"
    ),
    "steelyard.scoring.list_answer": "list order_score precision recall",
    "steelyard.scoring.metrics_program": (
        "logic_f1 logic_precision logic_recall operand_accuracy operation_order operations_per_turn program_equivalence"
    ),
    "steelyard.scoring.metrics_repeats": "majority pass_at_k",
    "steelyard.scoring.metrics_text": "exact_match f1 rouge1 rouge2 rougeL rougeLsum",
    "steelyard.scoring.number": (
        "number exact_numeric_match general_match mae relative_error sign_agnostic_match soft_match "
        "unit_agnostic_match within_tol"
    ),
    "steelyard.scoring.numerical_match": "numerical_match",
    "steelyard.scoring.reasoning": "reasoning consistency step_completeness step_order",
    "steelyard.scoring.reasoning_parts": (
        "claim_evidence_overlap claim_verifiability reasoning_consistency reasoning_step_order "
        "claim_coverage evidence_citation_rate evidence_f1 evidence_precision evidence_recall final_answer"
    ),
    "steelyard.scoring.rules": "format_compliance",
    "steelyard.scoring.text_answer": "text keyword_coverage",
}
MODULE_OF: dict[str, str] = {name: module for module, names in _NAMES.items() for name in names.split()}
"""The module that registers a name, or whose scorer has a part of that name."""
MODULES = tuple(_NAMES)
