/** All rules, in the order in which they are documented. The list is the file. */
import type { Rule } from "./Rule.ts"
import { additionalProperties } from "./rules/AdditionalProperties.ts"
import { arrayBounds } from "./rules/ArrayBounds.ts"
import { arrayItems } from "./rules/ArrayItems.ts"
import { defaultInvalid } from "./rules/DefaultInvalid.ts"
import { descriptionAccess } from "./rules/DescriptionAccess.ts"
import { descriptionDuplicate } from "./rules/DescriptionDuplicate.ts"
import { descriptionLength } from "./rules/DescriptionLength.ts"
import { descriptionMissing } from "./rules/DescriptionMissing.ts"
import { descriptionRepeatsName } from "./rules/DescriptionRepeatsName.ts"
import { descriptionWhen } from "./rules/DescriptionWhen.ts"
import { duplicateKey } from "./rules/DuplicateKey.ts"
import { enumInDescription } from "./rules/EnumInDescription.ts"
import { targetEnvironment } from "./rules/TargetEnvironment.ts"
import { executedCode } from "./rules/ExecutedCode.ts"
import { freeForm } from "./rules/FreeForm.ts"
import { idempotencyKey } from "./rules/IdempotencyKey.ts"
import { idempotencyKeyAdvice } from "./rules/IdempotencyKeyAdvice.ts"
import { idempotencyKeyShape } from "./rules/IdempotencyKeyShape.ts"
import { keywordUnknown } from "./rules/KeywordUnknown.ts"
import { nameCollision } from "./rules/NameCollision.ts"
import { nameInvalid } from "./rules/NameInvalid.ts"
import { nameNearDuplicate } from "./rules/NameNearDuplicate.ts"
import { nameSingleMeaning } from "./rules/NameSingleMeaning.ts"
import { nameSnakeCase } from "./rules/NameSnakeCase.ts"
import { nameVerbFirst } from "./rules/NameVerbFirst.ts"
import { nestingDepth } from "./rules/NestingDepth.ts"
import { numberBounds } from "./rules/NumberBounds.ts"
import { paginationCursor } from "./rules/PaginationCursor.ts"
import { paginationSpelling } from "./rules/PaginationSpelling.ts"
import { parameterDescription } from "./rules/ParameterDescription.ts"
import { requiredContradicted } from "./rules/RequiredContradicted.ts"
import { requiredMissing } from "./rules/RequiredMissing.ts"
import { requiredUnknown } from "./rules/RequiredUnknown.ts"
import { schemaContradiction } from "./rules/SchemaContradiction.ts"
import { schemaDialect } from "./rules/SchemaDialect.ts"
import { schemaReference } from "./rules/SchemaReference.ts"
import { schemaRoot } from "./rules/SchemaRoot.ts"
import { schemaValid } from "./rules/SchemaValid.ts"
import { stringBounds } from "./rules/StringBounds.ts"
import { suppressionReason } from "./rules/SuppressionReason.ts"
import { suppressionUnused } from "./rules/SuppressionUnused.ts"
import { tokenCost } from "./rules/TokenCost.ts"
import { tokenCostList } from "./rules/TokenCostList.ts"
import { toolUnreadable } from "./rules/ToolUnreadable.ts"

/** Every rule. */
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

/** By id. */
export const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

/** The ids of all rules. */
export const ids: ReadonlySet<string> = new Set(byId.keys())
