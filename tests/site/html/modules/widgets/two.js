log('two runs');
const own = 'two';
export const says = own;
