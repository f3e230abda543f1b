// Does not run: tsc --strict says whether the types hold.
import { ask, askEvents, load, parse, run, check, SkillhandError } from 'skillhand';
import type { AskResult, ErrorCategory, RunResult, SkillOutput } from 'skillhand';

const answer: AskResult = await ask('hi', { model: 'm', maxTurns: 3, allowedTools: ['Read'], continueSession: 's', timeout: 1, schema: {} });
const cost: number | null = answer.cost_usd; // null where the agent does not tell
const wait: number | null = answer.retry_after_ms;
const verdict: RunResult = await run('s', ['a']);
const report: SkillOutput | null = verdict.report;
const read = await parse('x');
if (read.output) read.output.deliverables.map((file) => file.toUpperCase());
const text: string = (await load('s', { args: ['a'] })).text;
const rules: string[] = (await check()).findings.map((f) => f.rule);
for await (const event of askEvents({ prompt: 'hi' })) {
  if (event.type === 'text') console.log(event.text?.length);
}
try {
  await ask({ prompt: 'hi', signal: AbortSignal.timeout(1) });
} catch (err) {
  if (err instanceof SkillhandError) {
    const category: ErrorCategory = err.category;
    switch (category) {
      case 'network': case 'rate-limit': case 'timeout': case 'validation': case 'logic': case 'auth': case 'quota': break;
      default: { const never: never = category; throw never; }
    }
  }
}
// @ts-expect-error a prompt is needed
void ask({ model: 'm' });
// @ts-expect-error milliseconds are a number
void ask('hi', { timeout: '30s' });
export { cost, wait, report, text, rules };
