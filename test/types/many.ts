/** A toolbox of sixty tools compiles, and keeps the names and requirements of its tools. */
import { Effect, Layer } from "effect"
import { LanguageModel } from "effect/ai"
import { Agent, Guard, GuardedTool, morePages, Toolbox } from "effect-toolguard"
import { assertType, type Equals } from "./kit.ts"
import { base } from "./tools.ts"

const definition = {
  ...base,
  access: "read",
  retry: { attempts: 3 },
  checks: { more: morePages((result: { readonly page: number }) => ({ page: result.page + 1 })) }
} as const

const answer = ({ page }: { readonly page: number }) => Effect.succeed({ orders: [], page, has_more: false })

class T01 extends GuardedTool.Service<T01>()("tool_01", definition) {}
class T02 extends GuardedTool.Service<T02>()("tool_02", definition) {}
class T03 extends GuardedTool.Service<T03>()("tool_03", definition) {}
class T04 extends GuardedTool.Service<T04>()("tool_04", definition) {}
class T05 extends GuardedTool.Service<T05>()("tool_05", definition) {}
class T06 extends GuardedTool.Service<T06>()("tool_06", definition) {}
class T07 extends GuardedTool.Service<T07>()("tool_07", definition) {}
class T08 extends GuardedTool.Service<T08>()("tool_08", definition) {}
class T09 extends GuardedTool.Service<T09>()("tool_09", definition) {}
class T10 extends GuardedTool.Service<T10>()("tool_10", definition) {}
class T11 extends GuardedTool.Service<T11>()("tool_11", definition) {}
class T12 extends GuardedTool.Service<T12>()("tool_12", definition) {}
class T13 extends GuardedTool.Service<T13>()("tool_13", definition) {}
class T14 extends GuardedTool.Service<T14>()("tool_14", definition) {}
class T15 extends GuardedTool.Service<T15>()("tool_15", definition) {}
class T16 extends GuardedTool.Service<T16>()("tool_16", definition) {}
class T17 extends GuardedTool.Service<T17>()("tool_17", definition) {}
class T18 extends GuardedTool.Service<T18>()("tool_18", definition) {}
class T19 extends GuardedTool.Service<T19>()("tool_19", definition) {}
class T20 extends GuardedTool.Service<T20>()("tool_20", definition) {}
class T21 extends GuardedTool.Service<T21>()("tool_21", definition) {}
class T22 extends GuardedTool.Service<T22>()("tool_22", definition) {}
class T23 extends GuardedTool.Service<T23>()("tool_23", definition) {}
class T24 extends GuardedTool.Service<T24>()("tool_24", definition) {}
class T25 extends GuardedTool.Service<T25>()("tool_25", definition) {}
class T26 extends GuardedTool.Service<T26>()("tool_26", definition) {}
class T27 extends GuardedTool.Service<T27>()("tool_27", definition) {}
class T28 extends GuardedTool.Service<T28>()("tool_28", definition) {}
class T29 extends GuardedTool.Service<T29>()("tool_29", definition) {}
class T30 extends GuardedTool.Service<T30>()("tool_30", definition) {}
class T31 extends GuardedTool.Service<T31>()("tool_31", definition) {}
class T32 extends GuardedTool.Service<T32>()("tool_32", definition) {}
class T33 extends GuardedTool.Service<T33>()("tool_33", definition) {}
class T34 extends GuardedTool.Service<T34>()("tool_34", definition) {}
class T35 extends GuardedTool.Service<T35>()("tool_35", definition) {}
class T36 extends GuardedTool.Service<T36>()("tool_36", definition) {}
class T37 extends GuardedTool.Service<T37>()("tool_37", definition) {}
class T38 extends GuardedTool.Service<T38>()("tool_38", definition) {}
class T39 extends GuardedTool.Service<T39>()("tool_39", definition) {}
class T40 extends GuardedTool.Service<T40>()("tool_40", definition) {}
class T41 extends GuardedTool.Service<T41>()("tool_41", definition) {}
class T42 extends GuardedTool.Service<T42>()("tool_42", definition) {}
class T43 extends GuardedTool.Service<T43>()("tool_43", definition) {}
class T44 extends GuardedTool.Service<T44>()("tool_44", definition) {}
class T45 extends GuardedTool.Service<T45>()("tool_45", definition) {}
class T46 extends GuardedTool.Service<T46>()("tool_46", definition) {}
class T47 extends GuardedTool.Service<T47>()("tool_47", definition) {}
class T48 extends GuardedTool.Service<T48>()("tool_48", definition) {}
class T49 extends GuardedTool.Service<T49>()("tool_49", definition) {}
class T50 extends GuardedTool.Service<T50>()("tool_50", definition) {}
class T51 extends GuardedTool.Service<T51>()("tool_51", definition) {}
class T52 extends GuardedTool.Service<T52>()("tool_52", definition) {}
class T53 extends GuardedTool.Service<T53>()("tool_53", definition) {}
class T54 extends GuardedTool.Service<T54>()("tool_54", definition) {}
class T55 extends GuardedTool.Service<T55>()("tool_55", definition) {}
class T56 extends GuardedTool.Service<T56>()("tool_56", definition) {}
class T57 extends GuardedTool.Service<T57>()("tool_57", definition) {}
class T58 extends GuardedTool.Service<T58>()("tool_58", definition) {}
class T59 extends GuardedTool.Service<T59>()("tool_59", definition) {}
class T60 extends GuardedTool.Service<T60>()("tool_60", definition) {}

const tools = Toolbox.make(
  T01,
  T02,
  T03,
  T04,
  T05,
  T06,
  T07,
  T08,
  T09,
  T10,
  T11,
  T12,
  T13,
  T14,
  T15,
  T16,
  T17,
  T18,
  T19,
  T20,
  T21,
  T22,
  T23,
  T24,
  T25,
  T26,
  T27,
  T28,
  T29,
  T30,
  T31,
  T32,
  T33,
  T34,
  T35,
  T36,
  T37,
  T38,
  T39,
  T40,
  T41,
  T42,
  T43,
  T44,
  T45,
  T46,
  T47,
  T48,
  T49,
  T50,
  T51,
  T52,
  T53,
  T54,
  T55,
  T56,
  T57,
  T58,
  T59,
  T60
)
assertType<Equals<Extract<(typeof tools.names)[number], "tool_01" | "tool_60" | "tool_61">, "tool_01" | "tool_60">>()

const handlers = Layer.mergeAll(
  T01.layer(answer),
  T02.layer(answer),
  T03.layer(answer),
  T04.layer(answer),
  T05.layer(answer),
  T06.layer(answer),
  T07.layer(answer),
  T08.layer(answer),
  T09.layer(answer),
  T10.layer(answer),
  T11.layer(answer),
  T12.layer(answer),
  T13.layer(answer),
  T14.layer(answer),
  T15.layer(answer),
  T16.layer(answer),
  T17.layer(answer),
  T18.layer(answer),
  T19.layer(answer),
  T20.layer(answer),
  T21.layer(answer),
  T22.layer(answer),
  T23.layer(answer),
  T24.layer(answer),
  T25.layer(answer),
  T26.layer(answer),
  T27.layer(answer),
  T28.layer(answer),
  T29.layer(answer),
  T30.layer(answer),
  T31.layer(answer),
  T32.layer(answer),
  T33.layer(answer),
  T34.layer(answer),
  T35.layer(answer),
  T36.layer(answer),
  T37.layer(answer),
  T38.layer(answer),
  T39.layer(answer),
  T40.layer(answer),
  T41.layer(answer),
  T42.layer(answer),
  T43.layer(answer),
  T44.layer(answer),
  T45.layer(answer),
  T46.layer(answer),
  T47.layer(answer),
  T48.layer(answer),
  T49.layer(answer),
  T50.layer(answer),
  T51.layer(answer),
  T52.layer(answer),
  T53.layer(answer),
  T54.layer(answer),
  T55.layer(answer),
  T56.layer(answer),
  T57.layer(answer),
  T58.layer(answer),
  T59.layer(answer),
  T60.layer(answer)
)
const run = Agent.run({ prompt: "Hello", tools }).pipe(Effect.provide([handlers, Guard.layerMemory]))
assertType<Equals<Effect.Services<typeof run>, LanguageModel.LanguageModel>>()

const generated = LanguageModel.generateText({ prompt: "Hello", toolkit: tools.toolkit }).pipe(
  Effect.provide(tools.handlers),
  Effect.provide([handlers, Guard.layerMemory])
)
assertType<Equals<Effect.Services<typeof generated>, LanguageModel.LanguageModel>>()
