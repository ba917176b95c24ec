/** Lists all rules, in the order of the documentation. */
import type { Rule } from "#kit/lint/rules/Rule"
import { additionalProperties } from "#kit/lint/rules/AdditionalProperties"
import { arrayBounds } from "#kit/lint/rules/ArrayBounds"
import { arrayItems } from "#kit/lint/rules/ArrayItems"
import { defaultInvalid } from "#kit/lint/rules/DefaultInvalid"
import { descriptionAccess } from "#kit/lint/rules/DescriptionAccess"
import { descriptionDuplicate } from "#kit/lint/rules/DescriptionDuplicate"
import { descriptionLength } from "#kit/lint/rules/DescriptionLength"
import { descriptionMissing } from "#kit/lint/rules/DescriptionMissing"
import { descriptionRepeatsName } from "#kit/lint/rules/DescriptionRepeatsName"
import { descriptionWhen } from "#kit/lint/rules/DescriptionWhen"
import { duplicateKey } from "#kit/lint/rules/DuplicateKey"
import { enumInDescription } from "#kit/lint/rules/EnumInDescription"
import { targetEnvironment } from "#kit/lint/rules/TargetEnvironment"
import { executedCode } from "#kit/lint/rules/ExecutedCode"
import { freeForm } from "#kit/lint/rules/FreeForm"
import { idempotencyKey } from "#kit/lint/rules/IdempotencyKey"
import { idempotencyKeyAdvice } from "#kit/lint/rules/IdempotencyKeyAdvice"
import { idempotencyKeyShape } from "#kit/lint/rules/IdempotencyKeyShape"
import { keywordUnknown } from "#kit/lint/rules/KeywordUnknown"
import { nameCollision } from "#kit/lint/rules/NameCollision"
import { nameInvalid } from "#kit/lint/rules/NameInvalid"
import { nameNearDuplicate } from "#kit/lint/rules/NameNearDuplicate"
import { nameSingleMeaning } from "#kit/lint/rules/NameSingleMeaning"
import { nameSnakeCase } from "#kit/lint/rules/NameSnakeCase"
import { nameVerbFirst } from "#kit/lint/rules/NameVerbFirst"
import { nestingDepth } from "#kit/lint/rules/NestingDepth"
import { numberBounds } from "#kit/lint/rules/NumberBounds"
import { paginationCursor } from "#kit/lint/rules/PaginationCursor"
import { paginationSpelling } from "#kit/lint/rules/PaginationSpelling"
import { parameterDescription } from "#kit/lint/rules/ParameterDescription"
import { patternUnenforced } from "#kit/lint/rules/PatternUnenforced"
import { requiredContradicted } from "#kit/lint/rules/RequiredContradicted"
import { requiredMissing } from "#kit/lint/rules/RequiredMissing"
import { requiredUnknown } from "#kit/lint/rules/RequiredUnknown"
import { schemaContradiction } from "#kit/lint/rules/SchemaContradiction"
import { schemaDialect } from "#kit/lint/rules/SchemaDialect"
import { schemaReference } from "#kit/lint/rules/SchemaReference"
import { schemaRoot } from "#kit/lint/rules/SchemaRoot"
import { schemaValid } from "#kit/lint/rules/SchemaValid"
import { stringBounds } from "#kit/lint/rules/StringBounds"
import { suppressionReason } from "#kit/lint/rules/SuppressionReason"
import { suppressionUnused } from "#kit/lint/rules/SuppressionUnused"
import { tokenCost } from "#kit/lint/rules/TokenCost"
import { tokenCostList } from "#kit/lint/rules/TokenCostList"
import { toolUnreadable } from "#kit/lint/rules/ToolUnreadable"

/** All rules, in the order of the documentation. */
export const rules: ReadonlyArray<Rule> = [
  nameInvalid,
  nameCollision,
  nameSnakeCase,
  nameVerbFirst,
  nameSingleMeaning,
  nameNearDuplicate,
  descriptionMissing,
  descriptionLength,
  descriptionRepeatsName,
  descriptionDuplicate,
  descriptionAccess,
  descriptionWhen,
  parameterDescription,
  schemaValid,
  schemaDialect,
  schemaReference,
  schemaRoot,
  schemaContradiction,
  defaultInvalid,
  keywordUnknown,
  additionalProperties,
  requiredMissing,
  requiredUnknown,
  requiredContradicted,
  stringBounds,
  patternUnenforced,
  numberBounds,
  arrayBounds,
  arrayItems,
  enumInDescription,
  freeForm,
  nestingDepth,
  executedCode,
  idempotencyKey,
  idempotencyKeyShape,
  idempotencyKeyAdvice,
  targetEnvironment,
  paginationCursor,
  paginationSpelling,
  tokenCost,
  tokenCostList,
  toolUnreadable,
  duplicateKey,
  suppressionReason,
  suppressionUnused
]

/** All rules by id. */
export const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

/** The ids of all rules. */
export const ids: ReadonlySet<string> = new Set(byId.keys())
