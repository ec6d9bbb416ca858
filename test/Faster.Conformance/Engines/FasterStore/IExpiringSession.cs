using Faster.Store;

namespace Faster.Conformance.Engines.FasterStore;

/// <summary>A session that can give what it writes a time to live.</summary>
internal interface IExpiringSession
{
    /// <summary>The time to live of what later operations write; zero: it never expires.</summary>
    TimeSpan TimeToLive { set; }
}
