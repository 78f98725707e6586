// What --help says of commands and options that take more than a few words.
#pragma once

namespace tilewright::cli {

inline constexpr const char* kDescription =
    "Tilewright: mappings of tensor contractions on accelerators, and what they cost.";
inline constexpr const char* kFooter =
    "Exit codes: 0 good, 1 a comparison differs, 2 bad input, 3 infeasible, 70 internal error or "
    "out of\nmemory, 130 interrupted.\n"
    "Example: tilewright map --model resnet50 --arch eyeriss";
inline constexpr const char* kFlexFooter =
    "Exit codes: 0 good, 2 bad input, 3 infeasible, 70 internal error or out of memory, 130 "
    "interrupted.\n"
    "Example: tilewright flex classify flex_1024 --flex \"P={CK,YX},S=blocks(4x4)\"\n"
    "Example: tilewright flex isolate --model mnasnet";
inline constexpr const char* kArchHelp =
    "a built-in architecture (see `tilewright archs`), a file, or - for standard input";
inline constexpr const char* kCascadeHelp =
    "several einsums in place of a workload: a built-in cascade (attention, mlp, ...), a file, or "
    "- for standard input (docs/fusion.md)";
inline constexpr const char* kWorkloadHelp =
    "a file, - for standard input, or a workload on one line: "
    "\"O[m,n] += A[m,k]*B[k,n]; m=64 n=64 k=32\"";
inline constexpr const char* kLayerHelp =
    "a layer by its name, or by its number in the listing: '#1' is the first";
inline constexpr const char* kRenameHelp =
    "new names for dimensions, such as h=N,i=M,j=P,d=C, given before anything else looks at them";
inline constexpr const char* kJsonHelp = "print JSON (docs/json.md)";
inline constexpr const char* kWideHelp =
    "print every column of tables, however narrow the terminal";
inline constexpr const char* kMapspaceHelp =
    "pfm: perfect factors; pfm-pad: also of padded dimensions; ruby-s, ruby-t, ruby: remainders "
    "in space, in time, everywhere (docs/mapspaces.md); default: pfm, or ruby if the architecture "
    "is flexible";
inline constexpr const char* kUnevenHelp =
    "search uneven mappings, too: each tensor of a memory may have its tile cut at a place of its "
    "own; --even: none, not even at memories that the architecture calls uneven";
inline constexpr const char* kTiesHelp =
    "what to make small, or a product such as energy^2*cycles; ties go to fewer cycles (of "
    "latency: to less energy), then to fewer instances in use";
inline constexpr const char* kFlexHelp =
    "what the architecture can be set to, such as "
    "\"T=soft,O={KCYXRS,YXKCRS},P={KC,YX},S=blocks(4x4)\" (docs/flexibility.md)";
inline constexpr const char* kSetHelp =
    "a value in place of the architecture's, such as GlobalBuffer.capacity=64KiB, PEs.x=32 or "
    "clock=1GHz; may be given several times";
inline constexpr const char* kSizeHelp =
    "a size in place of the network's, such as tokens=8192 (docs/networks.md); may be given "
    "several "
    "times";
inline constexpr const char* kCompareFooter =
    "Exit codes: 0 good, 2 bad input, 3 a layer has no mapping on one side, 70 internal error or "
    "out "
    "of\nmemory, 130 interrupted.\n"
    "Example: tilewright compare eyeriss simba --model alexnet\n"
    "Example: tilewright compare eyeriss eyeriss --set-b GlobalBuffer.capacity=65536words --model "
    "alexnet\n"
    "Example: tilewright compare one.yaml other.yaml -a toy_array -w \"gemm: m=64 n=64 k=64\"\n"
    "Results of a sweep: tilewright compare sweep.db 3 17 (docs/sweeps.md)";
inline constexpr const char* kBitsHelp =
    "width of every element, 1 to 65536, or of some tensors by name or role, such as I=8,W=4,O=32 "
    "(default: what the workload says)";

}  // namespace tilewright::cli
