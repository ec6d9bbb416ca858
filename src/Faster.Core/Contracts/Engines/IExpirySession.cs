using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A session whose records may expire. The store's options have <c>TimeToLive</c>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IExpirySession : IEngineSession
{
    /// <summary>
    /// The time to live of records that subsequent operations write, counted from the last write; zero for no expiry.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    /// <exception cref="SessionMisuseException">The session is closed, or in use by another call.</exception>
    TimeSpan TimeToLive { get; set; }
}
