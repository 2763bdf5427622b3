log('late runs');
const own = 'late';
export async function says() {
  return own;
}
