import { api } from './api.js'
import load, * as wasm from './judge.js'

await load({ module_or_path: new URL('./judge_bg.wasm', import.meta.url) })

export const { check, know, links, linkify, match, matchAtStart, pretest, test } = api(wasm)
