/// The version of acct, by Semantic Versioning; the manual and the Debian package take it from here.
package let version = "0.3.0"
