/* A PKCS#11 module that misbehaves as -DFAULT_… says, and has one token with one key else. */
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TOKEN_FLAGS
#define TOKEN_FLAGS CKF_TOKEN_INITIALIZED
#endif
#ifndef PIN_ANSWER
#define PIN_ANSWER CKR_OK
#endif
#ifndef SIGN_ANSWER
#define SIGN_ANSWER CKR_OK
#endif
#ifndef SIGNATURE_LENGTH
#define SIGNATURE_LENGTH 64
#endif
#ifndef VERSION
#define VERSION { 2, 40 }
#endif

static CK_OBJECT_CLASS wanted;
static int found, wrong_pins, context_logins;

#ifdef FAULT_HANGS
/* The call is not interrupted at the end of the process, and what it holds is waited for. */
static volatile int is_called;
__attribute__((destructor)) static void unload(void) {
  while (is_called) pause();
}
#endif

#ifdef FAULT_SLOW_END
/* As with OpenSSL, a thread keeps something that its end releases, and exit(3) must not come in between. */
static pthread_key_t kept;
static _Atomic int values;
static void release(void *value) {
  usleep(20000);
  values--;
}
static void keep(void) {
  if (pthread_getspecific(kept)) return;
  values++;
  pthread_setspecific(kept, &values);
}
__attribute__((constructor)) static void begin(void) { pthread_key_create(&kept, release); }
__attribute__((destructor)) static void end(void) {
  if (values) abort();
}
#endif

static CK_RV initialize(void *arguments) {
#ifdef FAULT_NOISE
  printf("foreign words\n");
  fflush(stdout);
  fprintf(stderr, "foreign words\n");
#endif
  return CKR_OK;
}
static CK_RV finalize(void *reserved) { return CKR_OK; }

static CK_RV get_slot_list(CK_BBOOL present, CK_SLOT_ID *slots, CK_ULONG *count) {
#ifdef FAULT_GENERAL
  return CKR_GENERAL_ERROR;
#endif
#ifdef FAULT_SLOTS
  *count = slots ? 1000 : 1;
  return CKR_OK;
#endif
  if (slots) slots[0] = 7;
  *count = 1;
  return CKR_OK;
}

static void fill(unsigned char *field, size_t size, const char *text) {
  memset(field, ' ', size);
  memcpy(field, text, strlen(text));
}

static CK_RV get_token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
#ifdef FAULT_SLOW_END
  keep();
#endif
  memset(info, 0, sizeof *info);
  fill(info->label, sizeof info->label, "hostile");
  fill(info->manufacturerID, sizeof info->manufacturerID, "made up");
  fill(info->model, sizeof info->model, "none");
  fill(info->serialNumber, sizeof info->serialNumber, "1");
  info->flags = TOKEN_FLAGS;
  if (wrong_pins) info->flags |= CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY;
  return CKR_OK;
}

static CK_RV open_session(CK_SLOT_ID slot, CK_FLAGS flags, void *application, CK_NOTIFY notify, CK_SESSION_HANDLE *session) {
#ifdef FAULT_REMOVED
  return CKR_DEVICE_REMOVED;
#endif
  *session = 1;
  return CKR_OK;
}
static CK_RV close_session(CK_SESSION_HANDLE session) { return CKR_OK; }

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, unsigned char *pin, CK_ULONG length) {
  if (user == CKU_CONTEXT_SPECIFIC) {
    context_logins++;
    return CKR_OK;
  }
  /* A PIN pad takes no PIN, and all others need one. */
  if (!pin != !!(TOKEN_FLAGS & CKF_PROTECTED_AUTHENTICATION_PATH)) return CKR_ARGUMENTS_BAD;
  if (PIN_ANSWER != CKR_OK) wrong_pins++;
  return PIN_ANSWER;
}
static CK_RV logout(CK_SESSION_HANDLE session) { return CKR_OK; }

static CK_RV find_init(CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count) {
  found = 0;
  for (CK_ULONG i = 0; i < count; i++)
    if (attributes[i].type == CKA_CLASS) memcpy(&wanted, attributes[i].pValue, sizeof wanted);
  return CKR_OK;
}
static CK_RV find(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG room, CK_ULONG *count) {
#ifdef FAULT_OBJECTS
  *count = room + 1;
  return CKR_OK;
#endif
  *count = !found && (wanted == CKO_PRIVATE_KEY || wanted == CKO_PUBLIC_KEY);
  if (*count) objects[0] = wanted;
  found = 1;
  return CKR_OK;
}
static CK_RV find_final(CK_SESSION_HANDLE session) { return CKR_OK; }

static CK_RV give(CK_ATTRIBUTE *attribute, const void *bytes, CK_ULONG length) {
  if (!attribute->pValue) {
    attribute->ulValueLen = length;
#ifdef FAULT_LENGTH
    if (attribute->type == CKA_ID) attribute->ulValueLen = 1ul << 40;
#endif
    return CKR_OK;
  }
  if (attribute->ulValueLen < length) return CKR_BUFFER_TOO_SMALL;
  memcpy(attribute->pValue, bytes, length);
  attribute->ulValueLen = length;
#ifdef FAULT_GROWTH
  attribute->ulValueLen = length + 1;
#endif
  return CKR_OK;
}

static CK_RV get_attribute(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attribute, CK_ULONG count) {
  static const unsigned char curve[] = { 0x13, 10, 'p', 'r', 'i', 'm', 'e', '2', '5', '6', 'v', '1' };
  /* The base point of P-256, without an OCTET STRING around it. */
  static const unsigned char point[] = {
    0x04, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d, 0x81,
    0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96, 0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e,
    0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf,
    0x51, 0xf5,
  };
  static const CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
  static const CK_KEY_TYPE kind = CKK_EC;
  switch (attribute->type) {
    case CKA_LABEL: return give(attribute, "made-up", 8); /* With the zero, as some modules have it. */
    case CKA_ID: return give(attribute, "\001", 1);
    case CKA_KEY_TYPE: return give(attribute, &kind, sizeof kind);
    case CKA_EC_PARAMS: return give(attribute, curve, sizeof curve);
    case CKA_EC_POINT: return give(attribute, point, sizeof point);
#ifdef DENIED
    case DENIED: return give(attribute, &no, sizeof no);
#endif
    case CKA_SIGN:
    case CKA_SENSITIVE:
    case CKA_ALWAYS_AUTHENTICATE: return give(attribute, &yes, sizeof yes);
    default: attribute->ulValueLen = CK_UNAVAILABLE_INFORMATION; return CKR_ATTRIBUTE_TYPE_INVALID;
  }
}

static CK_RV sign_init(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key) { return CKR_OK; }
static CK_RV sign(CK_SESSION_HANDLE session, unsigned char *data, CK_ULONG size, unsigned char *signature, CK_ULONG *length) {
#ifdef WAITS_FOR
  while (access(WAITS_FOR, F_OK) != 0) usleep(1000);
#endif
#ifdef FAULT_HANGS
  is_called = 1;
  while (1) pause();
#endif
  if ((TOKEN_FLAGS & CKF_LOGIN_REQUIRED) && !context_logins) return CKR_USER_NOT_LOGGED_IN;
  memset(signature, 0x11, 64);
  *length = SIGNATURE_LENGTH;
  return SIGN_ANSWER;
}

static CK_FUNCTION_LIST list = {
  .version = VERSION, .C_Initialize = initialize, .C_Finalize = finalize,
#ifndef FAULT_MISSING
  .C_GetSlotList = get_slot_list,
#endif
  .C_GetTokenInfo = get_token_info, .C_OpenSession = open_session, .C_CloseSession = close_session,
  .C_Login = login, .C_Logout = logout, .C_FindObjectsInit = find_init, .C_FindObjects = find,
  .C_FindObjectsFinal = find_final, .C_GetAttributeValue = get_attribute, .C_SignInit = sign_init,
  .C_Sign = sign,
};

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **out) {
#ifdef FAULT_NULL
  *out = NULL;
#else
  *out = &list;
#endif
  return CKR_OK;
}
