import { api } from './api.js'
import load, * as wasm from './plain.js'

await load({ module_or_path: new URL('./plain_bg.wasm', import.meta.url) })

export const { links, linkify, match, matchAtStart, pretest, test } = api(wasm)
