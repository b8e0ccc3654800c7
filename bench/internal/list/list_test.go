package list

import "testing"

func TestWrongSteps(t *testing.T) {
	s := make([]int, 1<<19)
	s[1], s[len(s)-2] = 1, -1 // a step down after the first, one to the last but one
	if n := WrongSteps(len(s), func(i int) bool { return s[i-1] <= s[i] }); n != 2 {
		t.Errorf("%d of 2 wrong steps", n)
	}
}
