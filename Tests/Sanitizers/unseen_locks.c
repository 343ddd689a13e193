/* Tells the thread sanitizer of what it cannot see of Swift's Mutex, and of its continuations.

   Without contention a Mutex is locked and unlocked by atomic operations that are inlined into our own
   code, where the sanitizer follows them. Otherwise libswiftSynchronization does it, by a futex; that
   library is not instrumented, so everything under a lock that was waited for would be called a race.
   Linked into an executable, these three are called first (.ci/sanitize thread). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

/* Swift's calling convention: `self` has a register of its own. */
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

/* Synchronization._MutexHandle._lockSlow(UInt32), ._tryLockSlow() -> Bool and ._unlockSlow() */
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*locking)(uint32_t thread, SELF void *mutex);
typedef SWIFT _Bool (*trying)(SELF void *mutex);
typedef SWIFT void (*unlocking)(SELF void *mutex);

/* More that is safe by what the runtime does unseen, and that nothing can be linked in front of. A
   continuation that is resumed before it is awaited hands its value over within libswift_Concurrency. NIO
   writes to a buffer again when libswiftCore's count says that it has no other reference. And an array that
   is made with room for no element sets its count to zero in the one empty array that all threads share,
   where it is zero already. */
const char *__tsan_default_suppressions(void) {
  return "race_top:withUnsafeThrowingContinuation\n"
         "race:10LiveSystem9LineInputC\n"
         "race_top:7NIOCore10ByteBufferV8_StorageC\n"
         "race:^_swiftEmptyArrayStorage$\n";
}

void __tsan_acquire(void *);
void __tsan_release(void *);

SWIFT void acct_lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT _Bool acct_try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void acct_unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void acct_lock_slow(uint32_t thread, SELF void *mutex) {
  locking lock = (locking)dlsym(RTLD_NEXT, LOCK);
  lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT _Bool acct_try_lock_slow(SELF void *mutex) {
  trying try_lock = (trying)dlsym(RTLD_NEXT, TRY_LOCK);
  if (!try_lock(mutex)) return 0;
  __tsan_acquire(mutex);
  return 1;
}

SWIFT void acct_unlock_slow(SELF void *mutex) {
  unlocking unlock = (unlocking)dlsym(RTLD_NEXT, UNLOCK);
  __tsan_release(mutex);
  unlock(mutex);
}
