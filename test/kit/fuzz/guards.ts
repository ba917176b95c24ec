/** Guards that are broken on purpose: a stage is missing or replaced. */
import * as Pipeline from "#pipeline/Pipeline"
import type { ModelStage } from "#pipeline/call/ModelStage"
import type { Stage } from "#pipeline/call/Stage"
import type { Escalation } from "#services/Escalation"
import { Guard } from "#src/guard/Guard"
import { Layer } from "effect"

/** Builds a guard from a simulated approver. */
export type MakeGuard = (person: Layer.Layer<Escalation>) => Layer.Layer<Guard>

const of =
  (stages: ReadonlyArray<Stage<any>>, modelStages: ReadonlyArray<ModelStage<any>>): MakeGuard =>
  (person) =>
    Guard.layerOf(stages, modelStages).pipe(Layer.provide(person), Layer.provide(Guard.memory)) as Layer.Layer<Guard>

const has = (list: ReadonlyArray<{ readonly name: string }>, name: string) => list.some((stage) => stage.name === name)

const change = (
  name: string,
  edit: <S extends { readonly name: string }>(list: ReadonlyArray<S>) => ReadonlyArray<S>
) =>
  of(
    has(Pipeline.stages, name) ? edit<Stage<any>>(Pipeline.stages) : Pipeline.stages,
    has(Pipeline.modelStages, name) ? edit<ModelStage<any>>(Pipeline.modelStages) : Pipeline.modelStages
  )

/** Builds the standard guard without a stage. */
export const without = (name: string): MakeGuard => change(name, Pipeline.remove(name))

/** Builds the standard guard with a stage replaced. */
export const withReplaced = (name: string, stage: { readonly name: string }): MakeGuard =>
  change(name, Pipeline.replace(name, stage as never) as never) // `name` determines the kind of stage
