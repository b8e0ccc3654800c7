package docs

import (
	"regexp"
	"strings"
	"testing"
)

// idioms are turns of phrase that readers stumble over, and plain words for them.
var idioms = map[string]string{
	`\bbehind\b`:              "after",
	`\btravel(s|led|ling)?\b`: "move, send",
	`\bso many\b`:             "the number given",
	`\bbut for\b`:             "except for",
	`\b(ns|bytes?) an? (element|pair|code|worker|sort)\b`: "per",
	`\bcodes of \d+ bits\b`:                               "32-bit codes",
	`\bwhat (it|they|the) \w+`:                            "the name of the thing",
}

// quotedText is text in quotation marks.
var quotedText = regexp.MustCompile(`"[^"]*"`)

func TestPlainWords(t *testing.T) {
	documents(t, func(t *testing.T, doc string, all []block) {
		for _, b := range all {
			if b.code {
				continue
			}
			text := quotedText.ReplaceAllString(strings.Join(strings.Fields(b.text), " "), "")
			for idiom, plain := range idioms {
				if found := regexp.MustCompile(idiom).FindString(text); found != "" {
					t.Errorf("line %d: %q; plainer: %s", b.line, found, plain)
				}
			}
		}
	})
}
