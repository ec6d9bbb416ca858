using System.Diagnostics.CodeAnalysis;

namespace Faster.Invariants;

/// <summary>Thrown when an invariant of the store does not hold: a defect of this library.</summary>
/// <remarks>
/// Callers catch it as <see cref="FasterException"/>, since nothing but its message can be of use to them. The store's
/// fault counts show it by this name. A commit that meets it poisons the store: what it would capture can't be trusted.
/// </remarks>
/// <param name="what">The invariant with its values.</param>
/// <param name="place">The type and member that checked it.</param>
[SuppressMessage("Design", "CA1032", Justification = "Only Invariant throws it.")]
[SuppressMessage("Design", "CA1064", Justification = "Callers have no use for its type.")]
internal sealed class InvariantException(string what, string place) : FasterException(
    $"An invariant does not hold: {what} ({place}). This is a defect of Faster, not of your program. The step that "
    + "checks it was not carried out. Close the store and open it again, which continues from its last commit; "
    + "please report this message.")
{
    /// <summary>The type and member that checked it.</summary>
    public string Place => place;
}
