// Streams: queues of work that has been accepted and not done. Work is done in
// order within a stream, and as late or as early as the mode says, so that a
// program that relies on more than the driver promises is found out.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

namespace cudacpu {

enum class Mode {
	eager, // when it is given
	lazy,  // when somebody waits for it
	mixed, // at random calls in between
};

struct Stream;

// Mark is a place in a stream: after its first `position` pieces of work.
struct Mark {
	std::shared_ptr<Stream> stream;
	uint64_t position = 0;
};

// Work is one piece of work, to do after a mark of another stream.
struct Work {
	std::function<void()> perform;
	Mark after;
	const void *borrowed; // memory of the host or of another device that it reads or writes, or null
};

struct Stream {
	std::deque<Work> queue;
	uint64_t done = 0;

	uint64_t given() const { return done + queue.size(); }

	// advance does the work before position, and what that waits for. A mark
	// is older than the work that waits for it, so there is no circle.
	void advance(uint64_t position) {
		while (done < position && !queue.empty()) {
			Work w = std::move(queue.front());
			queue.pop_front();
			if (w.after.stream) w.after.stream->advance(w.after.position);
			w.perform();
			done++;
		}
	}
};

struct Event {
	Mark mark; // the latest record; no stream if there is none
	bool timed;
	std::shared_ptr<int64_t> time; // nanoseconds, when the mark was reached
};

} // namespace cudacpu
