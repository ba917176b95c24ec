/** Keeps the histories of turns and conversations in this process. */
import { TurnMemory } from "#services/TurnMemory"
import * as Layer from "effect/Layer"
import * as TurnHistories from "#layers/internal/stores/TurnHistories"

/**
 * Keeps, for each tenant, at most 10,000 turns, the loops of 1,000 conversations, and 10,000,000 characters of texts;
 * for all tenants together, ten times as much. Beyond a limit, the least recently used turns or conversations are
 * forgotten.
 */
export const layer: Layer.Layer<TurnMemory> = Layer.sync(TurnMemory, TurnHistories.make)
