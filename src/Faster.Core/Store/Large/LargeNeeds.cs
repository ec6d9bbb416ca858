using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>What passes between an attempt and its operation about values in chunks.</summary>
/// <remarks>Not thread-safe: it belongs to an attempt.</remarks>
internal sealed class LargeNeeds<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>The chunks that an attempt which ended <see cref="Outcome.Large"/> wants gathered.</summary>
    public LargeHead Wanted { get; set; }

    /// <summary>
    /// The value in chunks that the attempt is to link, or that one which ended <see cref="Outcome.Oversized"/> has
    /// made. Set before every attempt; null after every other one: no operation may meet another one's.
    /// </summary>
    public LargeWrite<TProbe>? Prepared { get; set; }

    /// <summary>The value that was made is not wanted any more.</summary>
    public void Drop()
    {
        Prepared?.End();
        Prepared = null;
    }
}
