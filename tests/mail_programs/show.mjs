// postal-mime, mailparser and emailjs-mime-parser. Paths in, one JSON line a message out.
import fs from 'node:fs';
import readline from 'node:readline';
import PostalMime from 'postal-mime';
import { simpleParser } from 'mailparser';
import * as emailjs from 'emailjs-mime-parser';

const utf8 = bytes => Buffer.from(bytes ?? '').toString('utf8');
const part = (type, name, text) => ({ type: type || '', name: name || '', text: text || '' });

async function byPostal(raw) {
  const mail = await new PostalMime({ forceRfc822Attachments: false }).parse(raw);
  return [
    part('text/html', '', mail.html),
    part('text/plain', '', mail.text),
    ...(mail.attachments || []).map(one => part(one.mimeType, one.filename, utf8(one.content))),
  ];
}

async function byMailparser(raw) {
  const plain = { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true, skipTextLinks: true };
  const mail = await simpleParser(raw, plain);
  return [
    part('text/html', '', mail.html),
    part('text/plain', '', mail.text),
    ...(mail.attachments || []).map(one => part(one.contentType, one.filename, utf8(one.content))),
  ];
}

async function byEmailjs(raw) {
  const parse = emailjs.default.default;
  const leaves = node => (node.childNodes?.length ? node.childNodes.flatMap(leaves) : [node]);
  return leaves(parse(new Uint8Array(raw))).map(node =>
    part(node.contentType?.value || 'text/plain', node.contentType?.params?.name, utf8(node.content)));
}

// A pipe that is full makes writeSync fail, or write a part.
const say = line => new Promise((done, fail) => process.stdout.write(line, fault => (fault ? fail(fault) : done())));

const readers = { 'postal-mime': byPostal, mailparser: byMailparser, 'emailjs-mime-parser': byEmailjs };
const LATE = new Error('late');
const late = ms => new Promise((_, fail) => setTimeout(() => fail(LATE), ms).unref());

for await (const path of readline.createInterface({ input: process.stdin })) {
  const raw = fs.readFileSync(path);
  for (const [program, read] of Object.entries(readers)) {
    const entry = { file: path, program, parts: [] };
    try {
      entry.parts = await Promise.race([read(raw), late(10_000)]);
    } catch (fault) { // It shows nothing, or it was not asked long enough.
      entry.late = fault === LATE;
    }
    await say(JSON.stringify(entry) + '\n');
  }
}
process.exit(0);
