// How chains are cut between device and processor, in words.

#include <gtest/gtest.h>

#include <riffle/explain.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/riffle.hpp>

namespace {

using namespace riffle;

TEST(DeviceText, AChainThatRunsOnTheDevice) {
    EXPECT_EQ(explain_device(chain(penalties{}, top_k{}, temperature{}, dist{})),
              "chain     penalties, top_k, temperature, dist\n"
              "device    penalties, top_k, temperature, dist\n"
              "travels   the token, and as many survivors as there is room for\n"
              "edits     where the logits lie, taken back behind the chain\n");
}
TEST(DeviceText, AChainThatGoesOnOnTheProcessor) {
    EXPECT_EQ(explain_device(chain(min_p{}, tail_free{}, dist{})),
              "chain     min_p, tail_free, dist\n"
              "device    min_p\n"
              "processor tail_free, dist, since the device has no form for tail_free\n"
              "travels   the survivors, 12 bytes each; the whole row where there is no room for them\n");
    EXPECT_EQ(explain_device(chain(top_k{}, logit_bias{}, dist{})),
              "chain     top_k, logit_bias, dist\n"
              "device    top_k\n"
              "processor logit_bias, dist, since logit_bias edits logits behind a map or a cut\n"
              "travels   the survivors, 12 bytes each; the whole row where there is no room for them\n");
}
TEST(DeviceText, AChainThatIsForTheProcessor) {
    EXPECT_EQ(explain_device(chain(tail_free{}, dist{})),
              "chain     tail_free, dist\n"
              "device    nothing, since no stage has left tokens out before the processor is needed\n");
}
TEST(DeviceText, AChainOfLlamaCppsStages) {
    EXPECT_EQ(explain_device(chain<llama_exact>(top_k{}, dist{})),
              "chain     top_k, dist\n"
              "device    leaves out all but the greatest logits, more than the first stage that narrows can keep\n"
              "processor all stages, on those; on the whole row where they were not enough\n");
}

}  // namespace
