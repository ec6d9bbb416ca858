namespace Faster.DurableTask.Work;

/// <summary>What becomes of the messages that wait for an instance.</summary>
internal enum Verdict
{
    /// <summary>They are for the execution that runs.</summary>
    Continue,

    /// <summary>There is a start among them, which comes first.</summary>
    Start,

    /// <summary>They wait for a start that has its time.</summary>
    Wait,

    /// <summary>They end an instance that has not started.</summary>
    Cancel,

    /// <summary>There is no execution that they could be for.</summary>
    Drop,
}
