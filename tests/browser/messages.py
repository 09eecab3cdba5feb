"""What a page sends that no button sends."""

# Sends a message of a widget's as no button does, and gives the lines that answer it.
SEND = """async ({comm, kind, data}) => {
  const kernel = jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
  const id = crypto.randomUUID(), lines = [];
  const done = new Promise(resolve => {
    const hear = (_, message) => {
      if (message.parent_header.msg_id !== id) return;
      if (message.header.msg_type === 'stream') lines.push(message.content.text);
      if (message.header.msg_type !== 'status' || message.content.execution_state !== 'idle') return;
      kernel.iopubMessage.disconnect(hear);
      resolve(lines);
    };
    kernel.iopubMessage.connect(hear);
  });
  const header = {msg_id: id, msg_type: kind, session: kernel.clientId, username: '', version: '5.3', date: new Date().toISOString()};
  kernel.sendShellMessage({channel: 'shell', header, parent_header: {}, metadata: {}, content: {comm_id: comm, target_name: 'jupyter.widget', data}, buffers: []}, false);
  return await done;
}"""

# The model of the view below a cell.
MODEL = "i => jupyterapp.shell.currentWidget.context.model.cells.get(i).outputs.get(0).data['application/vnd.jupyter.widget-view+json'].model_id"


def state(**entries):
    return {"method": "update", "state": entries, "buffer_paths": []}


def custom(content):
    return {"method": "custom", "content": content}
