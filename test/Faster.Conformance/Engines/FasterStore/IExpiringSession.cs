namespace Faster.Conformance.Engines.FasterStore;

/// <summary>A session that can give what it writes a time to live.</summary>
internal interface IExpiringSession
{
    /// <summary>Of the operations that follow; zero: for ever.</summary>
    TimeSpan TimeToLive { set; }
}
