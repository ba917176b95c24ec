await import("effect/schema/SchemaJITCompiler/enable")
const { guarded } = await import("./variants.ts")
const v = guarded("JIT").find((x) => x.name.includes(process.argv[2]!))!
await v.loop(5000)
const s = performance.now()
await v.loop(400000)
console.log(v.name, (performance.now() - s) / 400, "us")
process.exit(0)
