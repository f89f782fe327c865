import { readFileSync } from 'node:fs'
import { api } from './api.js'
import * as wasm from './judge.js'

wasm.initSync({ module: readFileSync(new URL('./judge_bg.wasm', import.meta.url)) })

export const { check, know, links, linkify, match, matchAtStart, pretest, test } = api(wasm)
