namespace Faster.Conformance.Engines.Kinds;

/// <summary>A session that can give what it writes a time to live, if its engine can.</summary>
internal interface IExpiringSession
{
    /// <summary>The time to live of what later operations write; zero: it never expires.</summary>
    TimeSpan TimeToLive { set; }
}
