using Faster.Contracts;
using Faster.Log.Large;

namespace Faster.Operations.Large;

/// <summary>What an attempt and its operation exchange about values in fragments.</summary>
/// <remarks>Not thread-safe: it belongs to an attempt.</remarks>
internal sealed class LargeNeeds
{
    /// <summary>The fragments that an attempt which ended with <see cref="Outcome.Large"/> needs gathered.</summary>
    public LargeHead Wanted { get; set; }

    /// <summary>
    /// The value in fragments that the attempt must link, or that an attempt which ended with
    /// <see cref="Outcome.Oversized"/> has made. Set before every attempt, to null if there is no such value: no
    /// operation may see that of another one.
    /// </summary>
    public LargeWrite? Prepared { get; set; }

    /// <summary>Discards the value that was made.</summary>
    public void Drop()
    {
        Prepared?.End();
        Prepared = null;
    }
}
