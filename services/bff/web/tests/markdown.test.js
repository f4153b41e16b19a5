import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInline, parseMarkdown, renderBlock } from '../markdown.js';

/** The part of a document that the renderer may use; anything else fails the test. */
class FakeElement {
  constructor(tag) {
    this.tag = tag;
    this.children = [];
  }

  append(...children) {
    this.children.push(...children);
  }

  appendChild(child) {
    this.children.push(child);
    return child;
  }

  setAttribute(name, value) {
    assert.equal(name, 'start');
    assert.match(value, /^\d+$/);
  }
}
const fake = { createElement: (tag) => new FakeElement(tag), createTextNode: (text) => String(text) };

function outline(node) {
  return typeof node === 'string' ? node : `<${node.tag}>${node.children.map(outline).join('')}</${node.tag}>`;
}

const render = (text) => parseMarkdown(text).map((block) => outline(renderBlock(block, fake))).join('');

test('blocks', () => {
  assert.equal(render('One\ntwo\n\nThree'), '<p>One\ntwo</p><p>Three</p>');
  assert.equal(render('## Head\ntext'), '<h2>Head</h2><p>text</p>');
  assert.equal(render('- a\n  - b\n- c'), '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>');
  assert.equal(render('1. a\n2. b'), '<ol><li>a</li><li>b</li></ol>');
  assert.equal(render('Then:\n- a'), '<p>Then:</p><ul><li>a</li></ul>');
  assert.equal(render('```rust\nlet a = **b**;\n```\nend'), '<pre><code>let a = **b**;</code></pre><p>end</p>');
  assert.equal(
    render('| A | B |\n|---|--:|\n| 1 | **2** |\n| 3 |'),
    '<div><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr><tr><td>3</td><td></td></tr></tbody></table></div>',
  );
});

test('marks', () => {
  assert.equal(render('**bold *both*** `**code**` *em*'), '<p><strong>bold *both</strong>* <code>**code**</code> <em>em</em></p>');
  assert.equal(render('GW_INV_001 and 3 * 4 * 5 and **open'), '<p>GW_INV_001 and 3 * 4 * 5 and **open</p>');
});

test('markup and links stay text', () => {
  for (const text of ['<img src=x onerror=alert(1)>', '[x](javascript:alert(1))', '<script>1</script>', '![](http://evil/)']) {
    assert.equal(render(text), `<p>${text}</p>`);
    assert.equal(render(`| ${text.replaceAll('|', '')} |\n|---|`), `<div><table><thead><tr><th>${text}</th></tr></thead><tbody></tbody></table></div>`);
  }
});

test('every beginning of a text renders, and no character of plain text is lost', () => {
  const text = '# T\n\n**a** `b` *c*\n- d\n  e\n\n| f | g |\n|---|---|\n| h | i |\n```\nj\n';
  for (let end = 0; end <= text.length; end += 1) assert.equal(typeof render(text.slice(0, end)), 'string');
  assert.deepEqual(parseInline('plain'), [{ text: 'plain' }]);
});
