/**
 * The tools of a plant shop: one reads from a shelf that is not always available, one returns a picture, and one keeps plants for
 * a customer after a person has approved.
 */
import { Effect, Layer, Schema } from "effect"
import { Approval, GuardedTool } from "effect-toolguard"
import { picture } from "./Picture.ts"

const Plant = Schema.Literals(["fern", "monstera", "cactus"]).annotate({ description: "The kind of plant." })

export class CheckStock extends GuardedTool.Service<CheckStock>()("check_stock", {
  description: "Counts the plants of a kind on the shelf. Read-only. Use it before plants are kept. Not for prices.",
  access: "read",
  parameters: Schema.Struct({ plant: Plant }),
  success: Schema.Struct({ plant: Plant, left: Schema.Int })
}) {}

export class GetPicture extends GuardedTool.Service<GetPicture>()("get_picture", {
  description:
    "Returns a picture of a kind of plant. Read-only. Use it when the customer wants to see one. Not for advice.",
  access: "read",
  parameters: Schema.Struct({ plant: Plant }),
  success: Schema.Struct({ plant: Plant, height_cm: Schema.Int })
}) {}

export class KeepPlants extends GuardedTool.Service<KeepPlants>()("keep_plants", {
  description:
    "Keeps plants for the customer until the evening. Writes. Use it when the customer asks for it. Not for sales.",
  access: "write",
  idempotency: "derived",
  parameters: Schema.Struct({
    plant: Plant,
    count: Schema.Int.annotate({ description: "How many." }).check(Schema.isBetween({ minimum: 1, maximum: 20 }))
  }),
  success: Schema.Struct({ kept: Schema.Int, number: Schema.String }),
  approval: ({ count, plant }) => Approval.confirm(`Keep ${count} × ${plant} for a customer until the evening?`)
}) {}

/** Counts plants on the shelf. Every other request to the shelf fails, beginning with the first. */
const checkStock = Effect.sync(() => {
  let requests = 0
  return ({ plant }: { readonly plant: "fern" | "monstera" | "cactus" }) =>
    Effect.suspend(() => {
      requests += 1
      return requests % 2 === 1
        ? Effect.fail({ status: 503, message: "the shelf is being restocked" })
        : Effect.succeed({ plant, left: 5 })
    })
})

/** All handlers of the shop. */
export const layer = Layer.mergeAll(
  CheckStock.layer(checkStock),
  GetPicture.layer(({ plant }) =>
    Effect.succeed(
      GuardedTool.withParts({ plant, height_cm: 40 }, [
        { type: "file", mediaType: "image/png", data: picture, fileName: `${plant}.png` }
      ])
    )
  ),
  KeepPlants.layer(({ count, plant }) => Effect.succeed({ kept: count, number: `K-${plant.length}${count}7` }))
)
