#pragma once
#include <string>
#include <vector>

#include "campaign/model/model.h"
#include "scan/scan.h"

// What a language model says of retry code: its words are marked as its own, are never more than possible, and clear
// nothing. All but `ask_model` is pure.
namespace retrial::campaign {

// About one function, or the part of a long one that is around a location.
struct Question {
  std::string file;
  std::uint32_t first_line = 0, last_line = 0;  // of what is sent
  std::string function;                         // of which it is; empty: of the file itself, or of several
  std::string text;  // the lines with their numbers, without secrets, and what the scan has seen there
};

// In the order in which they are asked.
struct Questions {
  std::vector<Question> undecided;  // a bound or a wait that control flow did not see to its end
  std::vector<Question> unseen;     // a function about retries in which there is no location
  std::vector<Question> decided;
};
void add_questions(const std::string& file, std::string_view text, const scan::Scan& found, Questions& questions);

extern const char* const kTask;  // what a model is told before each question

// Adds what an answer says to the locations in what was asked, and a location where it names another line. False: it is
// not what was asked for, and nothing was taken of it.
bool take_answer(const Question& question, std::string_view answer, scan::Scan& found);

// Reads the files again, and asks as long as the model answers. Gives how many answers were not understood.
std::size_t ask_model(Model& model, const std::vector<std::string>& files, scan::Scan& found);

}  // namespace retrial::campaign
