// Debian's archive of yaml-cpp is compiled for programs, not for shared libraries: it takes
// it that this variable of the C library is near. So the module has one of its own, which
// says that there may be threads. That is always safe.
extern "C" {
extern __attribute__((visibility("hidden"))) char __libc_single_threaded;
char __libc_single_threaded = 0;  // NOLINT(bugprone-reserved-identifier): the C library's name
}
