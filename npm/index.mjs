import skillhand from './index.cjs';

export const { ask, askEvents, check, load, parse, run, program, SkillhandError } = skillhand;
