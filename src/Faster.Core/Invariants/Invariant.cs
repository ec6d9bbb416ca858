using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Faster.Invariants;

/// <summary>
/// Checks the invariants that types state in their headers, where a violation would corrupt silently.
/// </summary>
/// <remarks>
/// A check stands before the act that it guards, so a violation leaves that act undone. It throws; the path of
/// unexpected exceptions takes it to the caller, to the commit, or to the store's faults
/// (docs/internals/decisions/invariant-checks.md). Thread-safe: pure functions.
/// </remarks>
internal static class Invariant
{
    /// <summary>Checks an invariant in every build. For code that is not on the hit path.</summary>
    /// <param name="holds">Whether it holds.</param>
    /// <param name="what">
    /// The invariant with its values, as a sentence without its period; formatted only if it does not hold.
    /// </param>
    /// <param name="file">The file of the check.</param>
    /// <param name="member">The member of the check.</param>
    /// <exception cref="InvariantException">It does not hold.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Check(
        [DoesNotReturnIf(false)] bool holds,
        [InterpolatedStringHandlerArgument(nameof(holds))] ref InvariantMessage what,
        [CallerFilePath] string file = "", [CallerMemberName] string member = "")
    {
        if (!holds) Throw(what.ToString(), file, member);
    }

    /// <summary>
    /// Checks an invariant where the symbol DEBUG is defined: elsewhere the compiler removes the call and its
    /// arguments. For the hit path, and for checks that cost as much as what they guard.
    /// </summary>
    /// <inheritdoc cref="Check"/>
    [Conditional("DEBUG")]
    public static void DebugCheck(
        [DoesNotReturnIf(false)] bool holds,
        [InterpolatedStringHandlerArgument(nameof(holds))] ref InvariantMessage what,
        [CallerFilePath] string file = "", [CallerMemberName] string member = "")
    {
        if (!holds) Throw(what.ToString(), file, member);
    }

    [DoesNotReturn]
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw(string what, string file, string member) =>
        throw new InvariantException(what, $"{Path.GetFileNameWithoutExtension(file)}.{member}");
}
